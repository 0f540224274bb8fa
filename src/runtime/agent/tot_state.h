// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/agent/react_state.h"

namespace parley::agent {

// A possible next step.
struct Candidate {
  std::string thought;
  std::vector<model::ToolCall> tool_calls;  // empty: the thought is the answer
  std::optional<double> score;              // 0 to 1
};

// A node of the tree at which candidates were proposed.
struct TotLevel {
  std::uint64_t depth = 0;     // 0 for the root
  std::uint64_t messages = 0;  // length of the conversation up to here
  std::vector<Candidate> candidates;
  std::vector<std::uint64_t> tried;  // indexes, in order; the last one is chosen

  bool was_tried(std::size_t index) const;
  // The untried candidate with the highest score of at least `least`; the first among equals.
  std::optional<std::size_t> best_untried(double least) const;
};

// {"core":<react>,"tot":{"depth","candidates","explored_paths","chosen_index"?,"tried_indices",
// "suggest_backtrack","path_failed_reason"?,"levels"}}. "candidates", "chosen_index" and
// "tried_indices" repeat those of the current level, which is the last of "levels".
class TotState final : public AgentState {
 public:
  ReactState core;
  std::uint64_t depth = 0;
  std::vector<TotLevel> levels;  // from the root down; the last is the current one
  // Failed paths: the thoughts of each in order, then the reason in brackets.
  std::vector<std::vector<std::string>> explored_paths;
  bool suggest_backtrack = false;
  std::string path_failed_reason;

  const std::vector<model::Message>& conversation() const override { return core.messages; }
  Outcome outcome() const override { return core.outcome(); }
  void clear_usage() override { core.clear_usage(); }
  std::unique_ptr<graph::State> clone() const override { return std::make_unique<TotState>(*this); }
  std::uint64_t log_size() const override { return core.log_size(); }
  std::uint64_t log_revision() const override { return core.log_revision(); }
  void write(core::JsonWriter& json, std::uint64_t log_from) const override;
  core::Result<void> apply(const simdjson::dom::object& written) override;
};

}  // namespace parley::agent
