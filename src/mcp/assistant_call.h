// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <agentassist.pb.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/clock.h"
#include "core/result.h"

namespace parley::mcp {

// A request of an agent to its person.
struct AssistantCall {
  enum class Kind : std::uint8_t {
    ask_question,
    task_finish,
    work_report,
    await_answer,  // goes on waiting for a question, whose id is `text`; only for HeldCalls
  };
  Kind kind = Kind::ask_question;
  std::string project_directory;
  std::string text;  // the question or the summary
  std::string agent_name;
  std::string reasoning_model_name;
  std::string client_name;  // the MCP client's own name
  std::vector<agentassistproto::Question> questions;
  core::Millis timeout{};
};

// The result of a call: an answer, or the server's reason for a missing answer.
struct AssistantReply {
  bool is_error = false;
  std::map<std::string, std::string> meta;
  std::vector<agentassistproto::McpResultContent> contents;
};

using AssistantOutcome = core::Result<AssistantReply>;

// Id of a call in progress. Never 0.
using CallId = std::uint64_t;

// Calls to the assistant server: the interface between the MCP server and the network. Used on one
// thread.
class AssistantCalls {
 public:
  using Done = absl::AnyInvocable<void(AssistantOutcome)>;

  AssistantCalls() = default;
  AssistantCalls(const AssistantCalls&) = delete;
  AssistantCalls& operator=(const AssistantCalls&) = delete;
  virtual ~AssistantCalls() = default;

  // Starts a call. `done` runs once, never within start(), unless the call is cancelled.
  virtual CallId start(AssistantCall call, Done done) = 0;

  // Cancels a call here and on the server: `done` will not run, and the server gets the reason. A
  // no-op for an unknown id.
  virtual void cancel(CallId call, std::string_view reason) = 0;

  // The state of a call in one sentence, for a progress message.
  virtual std::string status(CallId call) const = 0;
};

}  // namespace parley::mcp
