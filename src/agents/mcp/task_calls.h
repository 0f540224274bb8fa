// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agents/mcp/assistant_call.h"
#include "agents/mcp/offer.h"
#include "agents/mcp/tool_catalog.h"
#include "base/core/entropy.h"

namespace parley::mcp {

// Calls of tools as tasks, in both forms: the extension of revision 2026-07-28, where the server
// decides, and the experiment of 2025-11-25, where the client asks for it. A task is a question
// that outlives its request; its id is the question's key. Used on one thread.
class TaskCalls {
 public:
  // All references must outlive the object. `forms`: a client that declares elicitation may answer
  // a task in its own window.
  TaskCalls(LastingCalls& calls, core::Entropy& entropy, bool forms);

  // True if a call of a tool becomes a task.
  static bool wants(const Exchange& exchange);
  void start(const ExchangePtr& exchange, ToolArguments arguments);
  // Serves a method "tasks/..."; false: not a method of the client's revision.
  bool handle(const ExchangePtr& exchange);
  // Reports the ends of tasks of revision 2026-07-28.
  void watch(const std::vector<std::string>& ids, std::function<void(const Change&)> changed);

  static constexpr core::Millis kPollEvery{2'000};
  // A task can be read this much longer than its question may wait.
  // Limit (MCP over HTTP): life of a `requestState` after its question's deadline. Reached: -32602.
  static constexpr core::Millis kKept = std::chrono::hours(1);
  // Tasks of a session that tasks/list names; older ones are left out.
  // Limit (MCP over HTTP): newest tasks of the session that `tasks/list` names. Reached: the older
  // ones are left out.
  static constexpr std::size_t kMaxListed = 100;

 private:
  struct Listing;

  bool handle_modern(const ExchangePtr& exchange);
  void get(const ExchangePtr& exchange);
  void update(const ExchangePtr& exchange);
  void cancel(const ExchangePtr& exchange);
  void await_result(const ExchangePtr& exchange);
  void show_form(const ExchangePtr& exchange, const LastingQuestion& question);
  // Passes on the task that a request names, or answers that it is unknown.
  void with_task(const ExchangePtr& exchange, std::function<void(const LastingQuestion& task)> use);
  void list(const ExchangePtr& exchange);
  void list_next(const std::shared_ptr<Listing>& listing);
  std::string state_of(const LastingQuestion& question, const ClientFacts& client) const;
  bool offers_form(const LastingQuestion& question, const ClientFacts& client) const;

  LastingCalls& calls_;
  core::Entropy& entropy_;
  const bool forms_;
  std::deque<std::string> begun_;  // ids of this client's tasks
  std::map<std::string, std::shared_ptr<void>> watched_;
};

}  // namespace parley::mcp
