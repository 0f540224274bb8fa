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

// What an agent wants of its person.
struct AssistantCall {
  enum class Kind : std::uint8_t { ask_question, task_finish, work_report };
  Kind kind = Kind::ask_question;
  std::string project_directory;
  std::string text;  // the question or the summary
  std::string agent_name;
  std::string reasoning_model_name;
  std::string client_name;  // the MCP client's own name
  std::vector<agentassistproto::Question> questions;
  core::Millis timeout{};
};

// What came of it: an answer, or the server's word that there will be none.
struct AssistantReply {
  bool is_error = false;
  std::map<std::string, std::string> meta;
  std::vector<agentassistproto::McpResultContent> contents;
};

using AssistantOutcome = core::Result<AssistantReply>;

// Names a call that is under way. 0 is never one.
using CallId = std::uint64_t;

// Calls to the assistant server: the seam between the MCP server and the network. One thread.
class AssistantCalls {
 public:
  using Done = absl::AnyInvocable<void(AssistantOutcome)>;

  AssistantCalls() = default;
  AssistantCalls(const AssistantCalls&) = delete;
  AssistantCalls& operator=(const AssistantCalls&) = delete;
  virtual ~AssistantCalls() = default;

  // Starts a call. `done` runs once, later (never inside start), unless the call is cancelled.
  virtual CallId start(AssistantCall call, Done done) = 0;

  // Ends a call everywhere: `done` will not run, and the server is told why. A no-op for an id
  // that is not under way.
  virtual void cancel(CallId call, std::string_view reason) = 0;

  // One sentence on how a call stands, for a progress message.
  virtual std::string status(CallId call) const = 0;
};

}  // namespace parley::mcp
