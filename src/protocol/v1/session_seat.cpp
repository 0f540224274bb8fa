// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/v1/session_seat.h"

#include <utility>

#include "core/id.h"

namespace parley::v1 {
namespace {

// A participant that tells what it hears: events at once if the connection is on this thread, too,
// and everything else in messages to the connection's thread. Lives on the session's shard.
class ObserverSeat final : public SessionSeat,
                           public session::Participant,
                           public std::enable_shared_from_this<ObserverSeat> {
 public:
  ObserverSeat(session::Shard& shard, core::Scheduler& to, SeatEvents events,
               session::ParticipantInfo info)
      : shard_(shard),
        to_(to),
        events_(std::make_shared<const SeatEvents>(std::move(events))),
        info_(std::move(info)) {}

  void start(const core::Result<session::Session*>& session) {
    if (stopped_) return;
    if (!session) return lose("session_unavailable");
    if (!(*session)->join(*this)) return lose("too_many_participants");
    session_ = *session;
    to_.post([events = events_, visible = session_->visible_seq()] { events->joined(visible); });
  }

  void leave() override {
    shard_.scheduler().post([self = shared_from_this()] { self->stop(); });
  }

  const session::ParticipantInfo& info() const override { return info_; }
  void on_opened(const session::InteractionPtr&) override {}
  void on_closed(const session::InteractionPtr&) override {}
  void on_presence(const session::ParticipantInfo&, session::Presence) override {}
  void on_direct_message(const session::DirectMessage&) override {}
  void on_signal(const session::Signal&) override {}

  void on_event(const event::Event& event) override {
    on_events(std::make_shared<const event::Unit>(event::Unit{std::nullopt, {event}, {}}));
  }
  void on_events(const event::UnitPtr& unit) override {
    if (!events_->events) return;
    if (&shard_.scheduler() == &to_) return events_->events(*unit);
    to_.post([events = events_, unit] { events->events(*unit); });
  }

  void on_leave_required(session::LeaveReason reason) override {
    stopped_ = true;
    std::exchange(session_, nullptr)->leave(*this);
    lose(reason == session::LeaveReason::token_revoked ? "token_revoked" : "shutting_down");
  }

 private:
  void stop() {
    stopped_ = true;
    if (session_ == nullptr) return;
    const std::string id = session_->id();
    std::exchange(session_, nullptr)->leave(*this);
    shard_.release(id);
  }

  void lose(std::string reason) {
    to_.post([events = events_, reason = std::move(reason)] { events->lost(reason); });
  }

  session::Shard& shard_;
  core::Scheduler& to_;
  const std::shared_ptr<const SeatEvents> events_;
  const session::ParticipantInfo info_;
  session::Session* session_ = nullptr;  // while joined
  bool stopped_ = false;
};

}  // namespace

std::shared_ptr<SessionSeat> take_seat(const Context& context, session::SessionKey session,
                                       const std::string& nickname, core::Scheduler& to,
                                       SeatEvents events) {
  session::ParticipantInfo info;
  info.client_id = core::new_id(to.clock(), context.entropy);
  info.nickname = nickname;
  info.role = session::Role::observer;
  info.dialect = "v1";
  info.connected_at = to.clock().wall();
  auto seat = std::make_shared<ObserverSeat>(context.hub.shard_of(session.id), to,
                                             std::move(events), std::move(info));
  context.hub.with_session(std::move(session),
                           [seat](core::Result<session::Session*> found) { seat->start(found); });
  return seat;
}

}  // namespace parley::v1
