// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/json_text.h"
#include "runtime/stream/event_parser.h"

namespace parley::runtime {

// Reads the members of one scanned object. Keeps the first fault; all values read after it are
// empty. A null member counts as absent, except for raw().
class EventFields {
 public:
  // `export_names`: the name of a node is in `node_id`, not in `id`.
  EventFields(const std::vector<core::JsonField>& fields, bool export_names)
      : fields_(fields), export_names_(export_names) {}

  std::string text(std::string_view name);
  std::optional<std::string> optional_text(std::string_view name);
  std::uint64_t count(std::string_view name);
  std::optional<std::uint64_t> optional_count(std::string_view name);
  std::int64_t integer(std::string_view name);
  bool flag(std::string_view name);
  std::string raw(std::string_view name);
  std::vector<std::string> texts(std::string_view name);
  std::vector<double> numbers(std::string_view name);
  // Name of a node, or id of a task of a plan.
  std::string node_name();
  // "Ok" (std::nullopt) or {"Err": TEXT} (the text).
  std::optional<std::string> failure(std::string_view name);

  const core::JsonField* find(std::string_view name) const;
  std::optional<LineFault>& fault() { return fault_; }

 private:
  const core::JsonField* need(std::string_view name);
  const core::JsonField* need(std::string_view name, core::JsonType type);
  void wrong(std::string_view name, std::string_view wanted);

  const std::vector<core::JsonField>& fields_;
  bool export_names_;
  std::optional<LineFault> fault_;
};

// Reads an event of the 24 by its type name in the protocol text. False if the type is unknown. A
// fault is left in `fields`.
bool read_event(std::string_view type, EventFields& fields, runtime::RunEvent& out);

// JSON text on one line.
std::string raw_json(std::string_view text);

}  // namespace parley::runtime
