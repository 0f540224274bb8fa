// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "session/session.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace parley::session {

using core::Code;
using core::Result;

Session::Session(SessionContext& context, event::SessionRow row)
    : context_(context),
      row_(std::move(row)),
      row_stored_(row_.last_seq > 0),
      next_seq_(row_.last_seq + 1),
      committed_seq_(row_.last_seq),
      visible_seq_(row_.last_seq),
      self_(std::make_shared<Session*>(this)) {}

Session::~Session() {
  *self_ = nullptr;
  cancel_timers();
}

// --- participants ---------------------------------------------------------------------------

Result<void> Session::join(Participant& participant) {
  if (participants_.size() >= context_.limits.max_participants) {
    return core::fail(Code::resource_exhausted,
                      "This session has as many participants as it may have. Try again later.");
  }
  const auto others = participants_;
  participants_.push_back(&participant);
  by_client_[participant.info().client_id] = &participant;
  for (Participant* other : others) other->on_presence(participant.info(), Presence::joined);
  return {};
}

void Session::leave(Participant& participant) {
  const auto it = std::find(participants_.begin(), participants_.end(), &participant);
  if (it == participants_.end()) return;
  *it = participants_.back();
  participants_.pop_back();
  by_client_.erase(participant.info().client_id);
  const auto others = participants_;
  for (Participant* other : others) other->on_presence(participant.info(), Presence::left);
  check_idle();
}

void Session::renamed(Participant& participant) {
  const auto others = participants_;
  for (Participant* other : others) {
    if (other != &participant) other->on_presence(participant.info(), Presence::renamed);
  }
}

Participant* Session::find_participant(std::string_view client_id) const {
  const auto it = by_client_.find(client_id);
  return it == by_client_.end() ? nullptr : it->second;
}

void Session::require_leave(LeaveReason reason) {
  if (reason == LeaveReason::shutting_down) shutting_down_ = true;
  const core::Error error =
      reason == LeaveReason::shutting_down
          ? core::Error{Code::unavailable,
                        "The server is shutting down. The question stays open; ask again with "
                        "the same ID.",
                        std::string(kShuttingDown)}
          : core::Error{Code::unauthenticated, "The token was revoked.", "token"};
  const auto entries = entries_;
  for (const auto& [key, entry] : entries) refuse_waiters(entry, error);
  const auto everyone = participants_;
  for (Participant* participant : everyone) participant->on_leave_required(reason);
}

// --- events ---------------------------------------------------------------------------------

event::Event Session::next_event(std::string direction, std::string type, std::string payload,
                                 std::optional<core::WallTime> at) {
  event::Event event;
  event.session = row_.id;
  event.seq = next_seq_++;
  event.at = last_at_ = std::max(last_at_, at ? *at : now());
  event.direction = std::move(direction);
  event.type = std::move(type);
  event.payload = std::move(payload);
  return event;
}

void Session::append(std::string direction, std::string type, std::string payload, EventDone done) {
  const event::Durability durability = event::durability_of(type);
  if (durability == event::Durability::transient) {
    done(core::fail(Code::invalid_argument, "Events of this type are not kept.", "type"));
    return;
  }
  if (payload.size() > core::limits::kMaxPayloadBytes) {
    done(
        core::fail(Code::invalid_argument, "The event is larger than an event may be.", "payload"));
    return;
  }
  if (commit_failed_) {
    done(core::fail(Code::data_loss, "The store failed just now. Try again.", ""));
    return;
  }
  event::Event event = next_event(std::move(direction), std::move(type), std::move(payload));
  const std::uint64_t seq = event.seq;
  if (durability == event::Durability::durable) {
    commit(std::move(event), std::nullopt,
           [done = std::move(done), seq](Result<void> result) mutable {
             if (!result) return done(core::fail(result.error()));
             done(seq);
           });
    return;
  }
  std::vector<event::Event> events;
  events.push_back(std::move(event));
  flow(std::move(events));
  done(seq);
}

void Session::skip_lost_numbers() {
  burnt_seq_ = std::max(burnt_seq_, next_seq_ - 1) + context_.store.max_lost_numbers();
  number_after_loss();
}

// Goes on after the last stored event, or, if numbers up to a later one were used up, leaves one
// for the event that says so.
void Session::number_after_loss() {
  burnt_seq_ = std::max(burnt_seq_, visible_seq_);
  skip_due_ = burnt_seq_ > committed_seq_;
  next_seq_ = skip_due_ ? burnt_seq_ + 2 : committed_seq_ + 1;
}

// Stored by itself and as durable, so that what follows can rest on it. If it fails, so does what
// follows, and the next event announces it again.
void Session::announce_skip(std::uint64_t before) {
  if (!std::exchange(skip_due_, false)) return;
  event::Event event;
  event.session = row_.id;
  event.seq = before - 1;
  event.at = last_at_;
  event.direction = "out";
  event.type = event::kNumbersSkipped;
  event.payload = "{}";
  commit(std::move(event), std::nullopt, [](const Result<void>& /*told by what follows*/) {});
}

void Session::flow(std::vector<event::Event> events) {
  announce_skip(events.front().seq);
  auto unit = std::make_shared<event::Unit>();
  if (!std::exchange(row_stored_, true)) unit->session = row_;
  unit->events = std::move(events);
  unseen_.push_back(Unseen{unit, true});
  context_.store.append_flowing(std::move(unit));
  show_ready();
}

Result<std::uint64_t> Session::append_flowing(std::vector<NewEvent> events) {
  for (const NewEvent& event : events) {
    if (event::durability_of(event.type) != event::Durability::flowing) {
      return core::fail(Code::invalid_argument,
                        "The type \"" + event.type + "\" is not a flowing one.", "type");
    }
    if (event.payload.size() > core::limits::kMaxPayloadBytes) {
      return core::fail(Code::invalid_argument, "The event is larger than an event may be.",
                        "payload");
    }
  }
  if (commit_failed_) {
    return core::fail(Code::data_loss, "The store failed just now. Try again.", "");
  }
  std::vector<event::Event> numbered;
  numbered.reserve(events.size());
  for (NewEvent& event : events) {
    numbered.push_back(next_event(std::move(event.direction), std::move(event.type),
                                  std::move(event.payload), event.at));
  }
  if (!numbered.empty()) flow(std::move(numbered));
  return next_seq_ - 1;
}

void Session::append_durable(std::vector<NewEvent> events, EventDone done) {
  if (events.empty()) return done(next_seq_ - 1);
  for (const NewEvent& event : events) {
    if (event.payload.size() <= core::limits::kMaxPayloadBytes) continue;
    done(
        core::fail(Code::invalid_argument, "The event is larger than an event may be.", "payload"));
    return;
  }
  if (commit_failed_) {
    done(core::fail(Code::data_loss, "The store failed just now. Try again.", ""));
    return;
  }
  event::Unit unit;
  unit.events.reserve(events.size());
  for (NewEvent& event : events) {
    unit.events.push_back(next_event(std::move(event.direction), std::move(event.type),
                                     std::move(event.payload), event.at));
  }
  const std::uint64_t last = unit.events.back().seq;
  commit(std::move(unit), [done = std::move(done), last](Result<void> result) mutable {
    if (!result) return done(core::fail(result.error()));
    done(last);
  });
}

void Session::commit(event::Event event, std::optional<event::InteractionRow> interaction,
                     absl::AnyInvocable<void(Result<void>)> done) {
  event::Unit unit;
  unit.events.push_back(std::move(event));
  if (interaction) unit.interactions.push_back(std::move(*interaction));
  commit(std::move(unit), std::move(done));
}

void Session::commit(event::Unit unit, absl::AnyInvocable<void(Result<void>)> done) {
  const std::uint64_t first = unit.events.front().seq;
  const std::uint64_t last = unit.events.back().seq;
  announce_skip(first);
  if (!std::exchange(row_stored_, true)) unit.session = row_;
  const auto shared = std::make_shared<const event::Unit>(std::move(unit));
  unseen_.push_back(Unseen{shared, false});
  ++commits_in_flight_;
  context_.store.commit(
      shared, context_.scheduler,
      [self = self_, first, last, done = std::move(done)](Result<void> result) mutable {
        if (*self == nullptr) return;
        (*self)->on_committed(first, last, result);
        done(result);
        if (*self != nullptr) (*self)->show_ready();
      });
}

void Session::on_committed(std::uint64_t first, std::uint64_t last, const Result<void>& result) {
  --commits_in_flight_;
  const auto it = std::find_if(unseen_.begin(), unseen_.end(),
                               [first](const Unseen& unseen) { return unseen.first() == first; });
  if (result) {
    committed_seq_ = std::max(committed_seq_, last);
    if (it != unseen_.end()) it->ready = true;
  } else {
    commit_failed_ = true;
    if (it != unseen_.end()) unseen_.erase(it);
    spdlog::error("session {}: event {} was not stored: {}", row_.id, first,
                  result.error().message);
  }
  if (commit_failed_ && commits_in_flight_ == 0) {
    // Nothing after the last stored event exists: the store refuses what does not follow it.
    commit_failed_ = false;
    std::erase_if(unseen_,
                  [this](const Unseen& unseen) { return unseen.first() > committed_seq_; });
    number_after_loss();
    row_stored_ = committed_seq_ > 0;
  }
}

void Session::show_ready() {
  // A participant may append in its on_events(): that is shown when all have seen this.
  if (std::exchange(showing_, true)) return;
  while (!unseen_.empty() && unseen_.front().ready) {
    const event::UnitPtr unit = std::move(unseen_.front().unit);
    unseen_.pop_front();
    visible_seq_ = unit->events.back().seq;
    const auto everyone = participants_;
    for (Participant* participant : everyone) participant->on_events(unit);
  }
  showing_ = false;
}

// --- transient messages ---------------------------------------------------------------------

Result<void> Session::send_direct(DirectMessage message, std::string_view to_client_id) {
  Participant* receiver = find_participant(to_client_id);
  if (receiver == nullptr) {
    return core::fail(Code::not_found, "The receiver is not online.", "receiver");
  }
  message.to = receiver->info();
  receiver->on_direct_message(message);
  return {};
}

Result<void> Session::send_signal(const Signal& signal, std::string_view to_client_id) {
  Participant* receiver = find_participant(to_client_id);
  if (receiver == nullptr) {
    return core::fail(Code::not_found, "The receiver is not online.", "receiver");
  }
  receiver->on_signal(signal);
  return {};
}

void Session::broadcast_signal(const Signal& signal) {
  const auto everyone = participants_;
  for (Participant* participant : everyone) {
    if (participant->info().client_id != signal.from_client_id) participant->on_signal(signal);
  }
}

void Session::check_idle() {
  if (idle() && context_.on_idle) context_.on_idle(row_.id);
}

bool Session::idle() const {
  return participants_.empty() && entries_.empty() && commits_in_flight_ == 0 &&
         reads_in_flight_ == 0 && unseen_.empty();
}

}  // namespace parley::session
