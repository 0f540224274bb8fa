// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "runtime/model/message.h"
#include "runtime/stream/run_event.h"

namespace parley::agent {

// Readers of the members of a written state. A member that is absent or null leaves `out`
// unchanged; a member of another type is `data_loss`, naming the member.
core::Result<void> read_member(const simdjson::dom::object& from, std::string_view name,
                               std::string& out);
core::Result<void> read_member(const simdjson::dom::object& from, std::string_view name,
                               std::uint64_t& out);
core::Result<void> read_member(const simdjson::dom::object& from, std::string_view name, bool& out);
core::Result<void> read_member(const simdjson::dom::object& from, std::string_view name,
                               std::optional<std::uint64_t>& out);
core::Result<void> read_member(const simdjson::dom::object& from, std::string_view name,
                               std::optional<runtime::Usage>& out);
core::Result<void> read_member(const simdjson::dom::object& from, std::string_view name,
                               std::vector<std::string>& out);
core::Result<void> read_member(const simdjson::dom::object& from, std::string_view name,
                               std::optional<simdjson::dom::array>& out);
core::Result<void> read_member(const simdjson::dom::object& from, std::string_view name,
                               std::optional<simdjson::dom::object>& out);

core::Result<simdjson::dom::object> as_object(const simdjson::dom::element& from,
                                              std::string_view name);
core::Result<model::Message> read_message(const simdjson::dom::element& from);

void write_usage(core::JsonWriter& json, std::string_view name,
                 const std::optional<runtime::Usage>& usage);
void write_texts(core::JsonWriter& json, std::string_view name,
                 const std::vector<std::string>& texts);
void write_messages(core::JsonWriter& json, const std::vector<model::Message>& messages,
                    std::uint64_t from);

// The first failure among the results, or success.
template <typename... Results>
core::Result<void> first_failure(Results&&... results) {
  core::Result<void> out;
  ((out = out ? std::forward<Results>(results) : out), ...);
  return out;
}

}  // namespace parley::agent
