// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"
#include "base/core/question.h"
#include "base/core/result.h"

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
  std::vector<core::Question> questions;
  core::Millis timeout{};
  // SHA-256 of the arguments of the tool call that is asked about, in hexadecimal digits; may be
  // empty. The reply is an error if it is for other arguments.
  std::string arguments_sha256 = {};
  // The action that is asked about, as a JSON object (docs/protocol-assistant.md, "Headers of our
  // own"); may be empty.
  std::string action = {};
};

// The result of a call: an answer, or the server's reason for a missing answer.
using AssistantReply = core::Answer;

using AssistantOutcome = core::Result<AssistantReply>;

// A question that outlives the request that asked it.
struct LastingQuestion {
  std::string key;
  bool pending = true;
  bool withdrawn = false;    // ended by the agent
  AssistantOutcome outcome;  // if not pending
  AssistantCall call;        // as it was asked
  core::WallTime asked_at;
  core::WallTime changed_at;
};

// Questions that outlive the request that asked them, and a restart of the server. A caller has its
// own ones alone: every other key is not found. Used on one thread; no callback runs within the
// call.
class LastingCalls {
 public:
  using Found = absl::AnyInvocable<void(core::Result<LastingQuestion>)>;

  LastingCalls() = default;
  LastingCalls(const LastingCalls&) = delete;
  LastingCalls& operator=(const LastingCalls&) = delete;
  virtual ~LastingCalls() = default;

  // Asks; `done` gets the question once it is durable. `key` is new.
  virtual void open(AssistantCall call, std::string key, Found done) = 0;
  // Finds a question. Errors: `not_found`.
  virtual void find(std::string key, Found done) = 0;
  // Waits for the end of a question. The result ends the wait when it is destroyed. Errors:
  // `not_found`, `unavailable` (the server is shutting down).
  virtual std::shared_ptr<void> await(std::string key, Found done) = 0;
  // Ends a question in the name of the agent; `done` gets it as it ended, perhaps otherwise.
  // Errors: `not_found`.
  virtual void withdraw(std::string key, std::string reason, Found done) = 0;
  // Answers a question with one text in the name of the person, by way of the agent's own window.
  // Errors: `not_found`.
  virtual void answer(std::string key, std::string text, std::string by, Found done) = 0;
};

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

  // Answers a call with one text in the name of the person, by way of the agent's own window `by`:
  // `done` of the call runs later. False: not possible here.
  virtual bool answer_in_window(CallId /*call*/, std::string /*text*/, std::string /*by*/) {
    return false;
  }
  // The key of a call's question; empty: not known here.
  virtual std::string key_of(CallId /*call*/) const { return {}; }
  // Null: no question outlives its call here.
  virtual LastingCalls* lasting() { return nullptr; }
};

}  // namespace parley::mcp
