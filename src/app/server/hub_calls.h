// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "agents/mcp/assistant_call.h"
#include "app/server/orphaned_questions.h"
#include "base/core/entropy.h"
#include "base/core/scheduler.h"
#include "base/core/work_gate.h"
#include "model/event/session_store.h"
#include "model/session/hub.h"
#include "model/session/subscription.h"

namespace parley::app {

// Waits for questions in place of callers that come back later for the answer: the session cancels
// a question without a caller. Used on the thread of `scheduler`.
class QuestionLeases {
 public:
  using Ended = std::function<void(const core::Result<session::InteractionPtr>&)>;

  QuestionLeases(session::Hub& hub, core::Scheduler& scheduler)
      : hub_(hub), scheduler_(scheduler) {}

  // Asks, or attaches to the question that has this key, and waits for its end. `opened` runs once
  // it is durable and pending, and `ended` at its end; neither runs within the call. The result
  // ends the interest of this caller, not the question, when it is destroyed.
  std::shared_ptr<void> ask(const session::SessionKey& workspace, session::AskRequest request,
                            std::function<void(const session::InteractionPtr&)> opened,
                            Ended ended);
  // Leaves all questions, which stay open. For the end of the server.
  void clear() { leases_.clear(); }
  std::size_t size() const { return leases_.size(); }

 private:
  struct Lease;

  void on_ended(const std::string& id, const core::Result<session::InteractionPtr>& ended);

  session::Hub& hub_;
  core::Scheduler& scheduler_;
  std::map<std::string, std::shared_ptr<Lease>> leases_;  // by session and key
};

// Services below the questions of MCP clients. They must outlive them.
struct HubCallsDependencies {
  session::Hub& hub;
  event::SessionStore& store;
  core::WorkGate& gate;
  core::Entropy& entropy;
  OrphanedQuestions& orphans;
};

// The caller of an MCP client: the workspace whose people are asked, and the window in which it
// asks them too.
struct HubCaller {
  std::string workspace;
  session::Authority window;
};

// The questions of MCP clients of this server: each is an interaction of the caller's workspace. A
// question of another asker, and an interaction of another kind, is `not_found`. Used on the thread
// of `scheduler`; destruction abandons the waiting calls, not the lasting ones.
class HubCalls final : public mcp::AssistantCalls, public mcp::LastingCalls {
 public:
  // `leases`: that of the thread.
  HubCalls(const HubCallsDependencies& dependencies, QuestionLeases& leases,
           core::Scheduler& scheduler, HubCaller caller);
  ~HubCalls() override;

  mcp::CallId start(mcp::AssistantCall call, Done done) override;
  void cancel(mcp::CallId call, std::string_view reason) override;
  std::string status(mcp::CallId call) const override;
  bool answer_in_window(mcp::CallId call, std::string text, std::string by) override;
  std::string key_of(mcp::CallId call) const override;
  mcp::LastingCalls* lasting() override { return this; }

  void open(mcp::AssistantCall call, std::string key, Found done) override;
  void find(std::string key, Found done) override;
  std::shared_ptr<void> await(std::string key, Found done) override;
  void withdraw(std::string key, std::string reason, Found done) override;
  void answer(std::string key, std::string text, std::string by, Found done) override;

 private:
  struct Waiting;
  using FoundPtr = std::shared_ptr<Found>;

  session::AskRequest request_of(mcp::AssistantCall call, std::string key) const;
  // The callback, or nothing once this object is gone.
  FoundPtr guarded(Found done) const;
  void on_ended(mcp::CallId id, const core::Result<session::InteractionPtr>& ended);
  session::Session::AnswerDone receipt_to(
      const FoundPtr& done, std::shared_ptr<session::Subscription> subscription) const;

  const HubCallsDependencies dependencies_;
  QuestionLeases& leases_;
  core::Scheduler& scheduler_;
  const session::SessionKey workspace_;
  const session::Authority window_;
  std::map<mcp::CallId, std::shared_ptr<Waiting>> waiting_;
  mcp::CallId last_id_ = 0;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace parley::app
