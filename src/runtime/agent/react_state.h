// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/agent/agent.h"
#include "runtime/graph/state.h"

namespace parley::agent {

// Common interface of the states of all kinds of agents.
class AgentState : public graph::State {
 public:
  // The conversation with the person; the next run of the thread continues it.
  virtual const std::vector<model::Message>& conversation() const = 0;
  virtual Outcome outcome() const = 0;
  // Resets the usage so far.
  virtual void clear_usage() = 0;

 protected:
  AgentState() = default;
  AgentState(const AgentState&) = default;
  AgentState& operator=(const AgentState&) = default;
};

// The assistant's last text since the last message of the person, with its reasoning.
Outcome spoken_outcome(const std::vector<model::Message>& messages,
                       const std::optional<runtime::Usage>& usage);

// Result of a tool call, kept until the next turn. The whole result is in the conversation, as the
// message that answers the call.
struct ToolRecord {
  std::string call_id;
  std::string name;
  std::string content;  // as shown
  bool is_error = false;
  bool truncated = false;  // `content` is shortened
};

// The state of react, and the core of dup and tot (contract section 2.2). The log is the messages.
//
// Every call of an assistant's message has its answer, in order, behind that message before the
// next assistant's message is appended.
class ReactState final : public AgentState {
 public:
  std::vector<model::Message> messages;
  std::string last_reasoning;
  std::vector<model::ToolCall> tool_calls;  // of the last reply; those with a result come first
  std::vector<ToolRecord> tool_results;     // one for each call that has finished, in order
  std::uint64_t turn_count = 0;             // turns in which tools were called
  std::uint64_t think_count = 0;            // replies of the model
  std::optional<runtime::Usage> usage;      // of the last model call
  std::optional<runtime::Usage> total_usage;
  std::optional<std::uint64_t> message_count_after_last_think;

  // Replaces all messages, or keeps only the first `count`.
  void replace_messages(std::vector<model::Message> replacement);
  void truncate_messages(std::size_t count);
  // Replaces this state by a copy of it that has advanced. Returns how many of the messages were
  // kept: fewer than before if some were replaced.
  std::size_t follow(const ReactState& further);

  const std::vector<model::Message>& conversation() const override { return messages; }
  Outcome outcome() const override { return spoken_outcome(messages, total_usage); }
  void clear_usage() override {
    usage.reset();
    total_usage.reset();
  }

  std::unique_ptr<graph::State> clone() const override {
    return std::make_unique<ReactState>(*this);
  }
  std::uint64_t log_size() const override { return messages.size(); }
  std::uint64_t log_revision() const override { return revision_; }
  void write(core::JsonWriter& json, std::uint64_t log_from) const override;
  core::Result<void> apply(const simdjson::dom::object& written) override;

  // Writes the members into an object of another state. Without `with_messages` the caller writes
  // the messages.
  void write_members(core::JsonWriter& json, std::uint64_t log_from, bool with_messages) const;
  core::Result<void> apply_members(const simdjson::dom::object& written, std::uint64_t log_from,
                                   bool with_messages);

 private:
  core::Result<void> apply_calls(const simdjson::dom::object& written);
  core::Result<void> apply_results(const simdjson::dom::object& written);

  std::uint64_t revision_ = 0;
};

// Arguments of a pending call up to this length in bytes are written a second time, beside the
// message that has them; of longer ones that copy is empty.
inline constexpr std::size_t kMaxWrittenArguments = 4'096;

}  // namespace parley::agent
