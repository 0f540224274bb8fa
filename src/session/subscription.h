// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "session/hub.h"
#include "session/participant.h"
#include "session/session.h"

namespace parley::session {

// A session as one client uses it from another thread: asks, watches, answers and waits. Every call
// and every callback is on `home`, the client's thread; no callback runs after the destruction,
// which gives the place in the session up and abandons the questions that wait. If `home` is the
// thread of the session, or another node owns the session, a callback may run before the call
// returns.
class Subscription {
 public:
  // What a watcher is told. An empty member is not told.
  struct Events {
    // From now on everything is told: events after `visible`, interactions beside the pending ones.
    // Errors: those of Hub::with_session() and Session::join(); then nothing else is told.
    std::function<void(core::Result<std::uint64_t> visible)> joined;
    std::function<void(const event::UnitPtr& unit)> events;
    std::function<void(const InteractionPtr& interaction)> opened;
    std::function<void(const InteractionPtr& interaction)> closed;
    // The last that is told: the token was revoked or the server goes down.
    std::function<void(LeaveReason reason)> left;
  };
  using Asked = absl::AnyInvocable<void(core::Result<InteractionPtr>)>;

  // Of nothing: for members that subscribe later.
  Subscription() = default;
  // `hub` and `home` outlive it. The session is made by the first call if it is not there.
  Subscription(Hub& hub, SessionKey key, core::Scheduler& home);
  Subscription(Subscription&&) = default;
  Subscription& operator=(Subscription&& other) noexcept;
  ~Subscription();

  explicit operator bool() const { return link_ != nullptr; }

  // Takes a place as a participant; at most once. Interactions that are pending are told with
  // `opened` after `joined`.
  void watch(ParticipantInfo info, Events events);
  // Session::ask(): `opened` once the interaction is durable and pending, unless it has ended
  // already; `done` with its end. Errors of `done`: those of Session::ask(), Hub::with_session().
  void ask(AskRequest request, std::function<void(const InteractionPtr&)> opened, Asked done);
  // Session::answer() and Session::cancel(). Carried out even if this is destroyed meanwhile.
  void answer(std::string key, Answer answer, Actor actor, Session::AnswerDone done);
  void cancel(std::string key, std::string reason, Actor actor, Session::AnswerDone done);
  // Session::withdraw() and Session::settle().
  void withdraw(std::string key, std::string reason);
  void settle(std::string key, InteractionPtr original);

 private:
  class Link;
  std::shared_ptr<Link> link_;
};

}  // namespace parley::session
