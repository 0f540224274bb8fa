// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/session_inbox.h"

#include <memory>
#include <utility>

#include "base/core/ask.h"
#include "model/session/subscription.h"
#include "model/session/workspace.h"

namespace parley::tool {
namespace {

using core::Code;
using core::Result;
using session::InteractionPtr;

// One pending question, on the caller's scheduler. The question keeps it alive.
class Asking : public std::enable_shared_from_this<Asking> {
 public:
  Asking(session::Hub& hub, std::string_view owner, core::Scheduler& scheduler, Inbox::Done done)
      : hub_(hub),
        scheduler_(scheduler),
        question_(hub, session::assistant_workspace(owner), scheduler),
        done_(std::move(done)) {}

  void begin(session::AskRequest request, const core::CancelToken& cancel) {
    if (cancel.cancelled()) return settle(core::fail(Code::cancelled, cancel.reason()));
    const std::string key = request.key;
    cancelled_ = cancel.on_cancel(core::unless_gone(
        weak_from_this(), [cancel, key](Asking& self) { self.withdraw(key, cancel.reason()); }));
    question_.ask(std::move(request), nullptr,
                  [self = shared_from_this()](const Result<InteractionPtr>& ended) {
                    self->settle(ended ? session::answer_of(**ended) : core::fail(ended.error()));
                  });
  }

 private:
  void withdraw(const std::string& key, const std::string& reason) {
    // Runs that end with the server are resumed, so their questions stay.
    const bool stays = hub_.shutting_down();
    if (!stays) question_.withdraw(key, reason, session::Authority::of_run());
    settle(core::fail(stays ? Code::unavailable : Code::cancelled, reason));
  }

  void settle(Result<session::Answer> result) {
    if (!done_) return;
    cancelled_.reset();
    Inbox::Done done = std::move(done_);
    done_ = nullptr;
    question_ = {};
    // Posted, because inside a cancellation `done` would run within the caller's cancel().
    core::reply(scheduler_, std::move(done), std::move(result));
  }

  session::Hub& hub_;
  core::Scheduler& scheduler_;
  session::Subscription question_;
  Inbox::Done done_;
  core::CancelToken::Registration cancelled_;
};

}  // namespace

void SessionInbox::ask(std::string owner, std::string key, session::InteractionKind kind,
                       session::Prompt prompt, core::Scheduler& scheduler,
                       const core::CancelToken& cancel, Done done) {
  session::AskRequest request{session::Authority::of_run()};
  request.key = std::move(key);
  request.kind = kind;
  request.prompt = std::move(prompt);
  const auto asking = std::make_shared<Asking>(hub_, owner, scheduler, std::move(done));
  scheduler.post([asking, request = std::move(request), cancel]() mutable {
    asking->begin(std::move(request), cancel);
  });
}

void SessionInbox::withdraw(std::string owner, std::string prefix, std::string reason) {
  hub_.with_session(
      session::assistant_workspace(owner),
      [prefix = std::move(prefix), reason = std::move(reason)](Result<session::Session*> found) {
        if (!found) return;
        for (const InteractionPtr& each : (*found)->pending()) {
          if (each->key.starts_with(prefix)) {
            (*found)->withdraw(each->key, reason, session::Authority::of_run());
          }
        }
      });
}

}  // namespace parley::tool
