// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "model/session/hub.h"
#include "model/session/participant.h"
#include "model/session/session.h"

namespace parley::session {

// A session as one client uses it from another thread: asks, watches, answers and waits. Every call
// and every callback is on `home`, the client's thread. Destruction leaves the session and abandons
// the waiting questions; no callback runs after it. If `home` is the thread of the session, or
// another node owns the session, a callback may run before the call returns.
class Subscription {
 public:
  // The callbacks of a watcher. An empty member is skipped.
  struct Events {
    // Everything that follows is reported: events after `visible`, interactions beside the pending
    // ones. Errors: those of Hub::with_session() and Session::join(); then no other callback runs.
    std::function<void(core::Result<std::uint64_t> visible)> joined;
    std::function<void(const event::UnitPtr& unit)> events;
    std::function<void(const InteractionPtr& interaction)> opened;
    std::function<void(const InteractionPtr& interaction)> closed;
    // The last callback of the watcher: the session has ended for it.
    std::function<void(LeaveReason reason)> left;
  };
  using Asked = absl::AnyInvocable<void(core::Result<InteractionPtr>)>;

  // An empty subscription, for members that subscribe later.
  Subscription() = default;
  // `hub` and `home` outlive this object. The first call creates the session if it does not exist.
  Subscription(Hub& hub, SessionKey key, core::Scheduler& home);
  Subscription(Subscription&&) = default;
  Subscription& operator=(Subscription&& other) noexcept;
  ~Subscription();

  explicit operator bool() const { return link_ != nullptr; }

  // Joins the session as a participant; at most once. Pending interactions are reported with
  // `opened` after `joined`.
  void watch(ParticipantInfo info, Events events);
  // Session::ask(): `opened` runs once the interaction is durable and pending, unless it has ended
  // already; `done` runs at its end. Errors of `done`: those of Session::ask(),
  // Hub::with_session().
  void ask(AskRequest request, std::function<void(const InteractionPtr&)> opened, Asked done);
  // Session::answer() and Session::cancel(). Carried out even if this object is destroyed
  // meanwhile.
  void answer(std::string key, Answer answer, Actor actor, Session::AnswerDone done);
  void cancel(std::string key, std::string reason, Actor actor, Session::AnswerDone done);
  // Session::withdraw().
  void withdraw(std::string key, std::string reason, Authority by);

 private:
  class Link;
  std::shared_ptr<Link> link_;
};

}  // namespace parley::session
