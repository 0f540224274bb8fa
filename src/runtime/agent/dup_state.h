// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/agent/react_state.h"

namespace parley::agent {

// Understanding of a request that dup gains before it starts.
struct Understanding {
  std::string core_goal;
  std::vector<std::string> key_constraints;
  std::string relevant_context;
  bool operator==(const Understanding&) const = default;
};

// {"core":<react>,"understood":{...}?}; the log is the messages of the core.
class DupState final : public AgentState {
 public:
  ReactState core;
  std::optional<Understanding> understood;

  const std::vector<model::Message>& conversation() const override { return core.messages; }
  Outcome outcome() const override { return core.outcome(); }
  void clear_usage() override { core.clear_usage(); }
  std::unique_ptr<graph::State> clone() const override { return std::make_unique<DupState>(*this); }
  std::uint64_t log_size() const override { return core.log_size(); }
  std::uint64_t log_revision() const override { return core.log_revision(); }
  void write(core::JsonWriter& json, std::uint64_t log_from) const override;
  core::Result<void> apply(const simdjson::dom::object& written) override;
};

// Writes and reads {"log_from"?,"core":{...}} for the states that have a core.
void write_core(core::JsonWriter& json, const ReactState& core, std::uint64_t log_from);
core::Result<void> apply_core(const simdjson::dom::object& written, ReactState& core);

}  // namespace parley::agent
