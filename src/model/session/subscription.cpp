// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/subscription.h"

#include <atomic>
#include <map>
#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"

namespace parley::session {

using core::Result;

// Both ends of a subscription. Members of the client's end are used on `home_` only, those of the
// session's end on the thread of its shard only; posted tasks keep the object alive.
class Subscription::Link final : public Participant, public std::enable_shared_from_this<Link> {
 public:
  Link(Hub& hub, SessionKey key, core::Scheduler& home)
      : hub_(hub),
        key_(std::move(key)),
        home_(home),
        shard_(hub.home_of(key_.id).alive()),
        shard_scheduler_(&hub.home_of(key_.id).scheduler()) {}

  // --- the client's end ---------------------------------------------------------------------

  void watch(ParticipantInfo info, Events events) {
    PARLEY_ASSERT(events_ == nullptr, "session " + key_.id + " is watched twice");
    wants_ = {events.events != nullptr, events.opened != nullptr, events.closed != nullptr};
    events_ = std::make_shared<const Events>(std::move(events));
    info_ = std::move(info);
    in_session([self = shared_from_this()](Result<Session*> found) { self->join(found); });
  }

  void ask(AskRequest request, std::function<void(const InteractionPtr&)> opened, Asked done) {
    const std::uint64_t id = ++last_ask_;
    const bool tells_opened = opened != nullptr;
    asks_.emplace(id, Ask{std::move(opened), std::move(done)});
    in_session([asked = std::make_shared<Asking>(shared_from_this(), id), tells_opened,
                request = std::move(request)](const Result<Session*>& found) mutable {
      asked->link->ask_there(asked, tells_opened, std::move(request), found);
    });
  }

  // Ends an interaction: `end` is called with the session and with a callback that reports to the
  // client.
  template <typename End>
  void end(End end, Session::AnswerDone done) {
    in_session([self = shared_from_this(), end = std::move(end),
                done = std::move(done)](Result<Session*> found) mutable {
      auto tell = [self, done = std::move(done)](Result<AnswerReceipt> receipt) mutable {
        if (done) self->tell_receipt(std::move(done), std::move(receipt));
      };
      if (!found) return tell(core::fail(found.error()));
      end(**found, std::move(tell));
    });
  }

  // Runs `use` with the session if it is in memory.
  template <typename Use>
  void if_loaded(Use use) {
    on_shard([key = key_.id, use = std::move(use)](Shard& shard) {
      if (Session* session = shard.find(key); session != nullptr) use(*session);
    });
  }

  void close() {
    closed_ = true;
    const bool has_a_part = events_ != nullptr || !asks_.empty();
    events_.reset();
    std::exchange(asks_, {}).clear();
    if (!has_a_part) return;
    on_shard([self = shared_from_this()](Shard& shard) { self->stop(shard); });
  }

  // --- the session's end --------------------------------------------------------------------

  const ParticipantInfo& info() const override { return info_; }
  void on_opened(const InteractionPtr& interaction) override {
    if (wants_.opened) tell_interaction(&Events::opened, interaction);
  }
  void on_closed(const InteractionPtr& interaction) override {
    if (wants_.closed) tell_interaction(&Events::closed, interaction);
  }
  void on_events(const event::UnitPtr& unit) override {
    if (!wants_.events) return;
    tell([self = shared_from_this(), unit] {
      if (const auto events = self->events_) events->events(unit);
    });
  }
  void on_leave_required(LeaveReason reason) override {
    stopped_ = true;
    if (session_ != nullptr) std::exchange(session_, nullptr)->leave(*this);
    // Always posted: the client may destroy an object that the session is about to call.
    home_.post([self = shared_from_this(), reason] {
      if (const auto events = self->events_; events && events->left) events->left(reason);
    });
  }

 private:
  // The session's end of one ask. If it is destroyed without a report, the shard was destroyed;
  // then the client's callbacks, which may hold the last references to the client, are destroyed
  // too.
  struct Asking {
    Asking(std::shared_ptr<Link> in, std::uint64_t as) : link(std::move(in)), id(as) {}
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;
    ~Asking() {
      if (!answered && !link->closed_) link->asks_.extract(id);
    }
    const std::shared_ptr<Link> link;
    const std::uint64_t id;
    bool answered = false;
  };
  using AskingPtr = std::shared_ptr<Asking>;

  struct Ask {
    std::function<void(const InteractionPtr&)> opened;
    Asked done;
  };
  struct Wants {
    bool events = false;
    bool opened = false;
    bool closed = false;
  };

  // Runs `use` on the thread of the shard, unless the shard has been destroyed.
  template <typename Use>
  void on_shard(Use use) {
    shard_scheduler_->post(core::unless_gone(shard_, std::move(use)));
  }

  // Runs `task` on the client's thread: at once if the caller is on it.
  template <typename Task>
  void tell(Task task) {
    if (shard_scheduler_ == &home_) return task();
    home_.post(std::move(task));
  }

  void tell_interaction(std::function<void(const InteractionPtr&)> Events::*member,
                        const InteractionPtr& interaction) {
    tell([self = shared_from_this(), member, interaction] {
      if (const auto events = self->events_) ((*events).*member)(interaction);
    });
  }

  void tell_receipt(Session::AnswerDone done, Result<AnswerReceipt> receipt) {
    tell([self = shared_from_this(), done = std::move(done),
          receipt = std::move(receipt)]() mutable {
      if (!self->closed_) done(std::move(receipt));
    });
  }

  template <typename Use>
  void in_session(Use use) {
    hub_.with_session(key_, std::move(use));
  }

  void join(const Result<Session*>& found) {
    if (closed_ || stopped_) return;
    Result<void> joined = found ? (*found)->join(*this) : core::fail(found.error());
    if (!joined) return tell_joined(core::fail(std::move(joined.error())));
    PARLEY_ASSERT(session_ == nullptr, "session " + key_.id + " is joined twice");
    session_ = *found;
    tell_joined(session_->visible_seq());
    if (!wants_.opened) return;
    for (const InteractionPtr& each : session_->pending()) {
      home_.post([self = shared_from_this(), each] {
        if (const auto events = self->events_) events->opened(each);
      });
    }
  }

  // Always posted: callbacks of a watcher run after watch() has returned.
  void tell_joined(Result<std::uint64_t> visible) {
    home_.post([self = shared_from_this(), visible = std::move(visible)]() mutable {
      const auto events = self->events_;
      if (events && events->joined) events->joined(std::move(visible));
    });
  }

  void ask_there(const AskingPtr& asked, bool tells_opened, AskRequest request,
                 const Result<Session*>& found) {
    if (closed_) return;
    if (!found) return tell_done(*asked, core::fail(found.error()));
    if (stopped_) {
      return tell_done(*asked, core::fail(core::Code::unavailable,
                                          "The subscription to the session has ended."));
    }
    Session::AskOpened opened;
    if (tells_opened) {
      opened = [asked](const InteractionPtr& interaction) {
        asked->link->tell_opened(asked->id, interaction);
      };
    }
    const std::uint64_t id = asked->id;
    const bool is_first = waiters_.emplace(id, 0).second;
    PARLEY_ASSERT(is_first, "session " + key_.id + " is asked twice by one call");
    const WaiterId waiter = (*found)->ask(
        std::move(request),
        [asked](Result<InteractionPtr> ended) {
          asked->link->waiters_.erase(asked->id);
          asked->link->tell_done(*asked, std::move(ended));
        },
        std::move(opened));
    // The ask may have ended during the call.
    if (const auto waiting = waiters_.find(id); waiting != waiters_.end()) waiting->second = waiter;
  }

  void tell_opened(std::uint64_t id, const InteractionPtr& interaction) {
    tell([self = shared_from_this(), id, interaction] {
      const auto asked = self->asks_.find(id);
      if (asked == self->asks_.end() || !asked->second.opened) return;
      std::exchange(asked->second.opened, nullptr)(interaction);
    });
  }

  void tell_done(Asking& asked, Result<InteractionPtr> ended) {
    PARLEY_ASSERT(!asked.answered, "session " + key_.id + ": one call is answered twice");
    asked.answered = true;
    tell([self = shared_from_this(), id = asked.id, ended = std::move(ended)]() mutable {
      const auto waits = self->asks_.find(id);
      if (waits == self->asks_.end()) return;
      Asked done = std::move(waits->second.done);
      self->asks_.erase(waits);
      done(std::move(ended));
    });
  }

  void stop(Shard& shard) {
    stopped_ = true;
    Session* session = shard.find(key_.id);
    for (const auto& [id, waiter] : std::exchange(waiters_, {})) {
      if (session != nullptr && waiter != 0) session->abandon(waiter);
    }
    if (session_ != nullptr) std::exchange(session_, nullptr)->leave(*this);
    shard.release(key_.id);
  }

  Hub& hub_;
  const SessionKey key_;
  core::Scheduler& home_;
  std::shared_ptr<Shard*> shard_;  // null inside after its destruction
  core::Scheduler* shard_scheduler_;

  // Members of the client's end.
  std::shared_ptr<const Events> events_;
  std::map<std::uint64_t, Ask> asks_;
  std::uint64_t last_ask_ = 0;
  std::atomic<bool> closed_{false};  // also read by the session's end, which then starts nothing
                                     // new

  // Members of the session's end; `info_` and `wants_` are set before it starts.
  ParticipantInfo info_;
  Wants wants_;
  Session* session_ = nullptr;  // while joined
  std::map<std::uint64_t, WaiterId> waiters_;
  bool stopped_ = false;
};

Subscription::Subscription(Hub& hub, SessionKey key, core::Scheduler& home)
    : link_(std::make_shared<Link>(hub, std::move(key), home)) {}

Subscription& Subscription::operator=(Subscription&& other) noexcept {
  // Closed last: destroying its callbacks may destroy this object.
  const std::shared_ptr<Link> old = std::exchange(link_, std::exchange(other.link_, nullptr));
  if (old) old->close();
  return *this;
}

Subscription::~Subscription() {
  if (link_) link_->close();
}

void Subscription::watch(ParticipantInfo info, Events events) {
  link_->watch(std::move(info), std::move(events));
}

void Subscription::ask(AskRequest request, std::function<void(const InteractionPtr&)> opened,
                       Asked done) {
  link_->ask(std::move(request), std::move(opened), std::move(done));
}

void Subscription::answer(std::string key, Answer answer, Actor actor, Session::AnswerDone done) {
  link_->end(
      [key = std::move(key), answer = std::move(answer), actor = std::move(actor)](
          Session& session, Session::AnswerDone tell) mutable {
        session.answer(key, std::move(answer), std::move(actor), std::move(tell));
      },
      std::move(done));
}

void Subscription::cancel(std::string key, std::string reason, Actor actor,
                          Session::AnswerDone done) {
  link_->end(
      [key = std::move(key), reason = std::move(reason), actor = std::move(actor)](
          Session& session, Session::AnswerDone tell) mutable {
        session.cancel(key, std::move(reason), std::move(actor), std::move(tell));
      },
      std::move(done));
}

void Subscription::withdraw(std::string key, std::string reason, Authority by) {
  link_->if_loaded([key = std::move(key), reason = std::move(reason),
                    by = std::move(by)](Session& session) { session.withdraw(key, reason, by); });
}

}  // namespace parley::session
