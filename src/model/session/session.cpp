// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/session.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/core/assert.h"
#include "base/core/contain.h"
#include "model/session/workspace.h"

namespace parley::session {

using core::Code;
using core::Result;

namespace {

// The store refuses what follows a lost event, which is no fault of whoever asked for it.
core::Error as_told(core::Error error) {
  if (error.code != Code::failed_precondition || error.field != event::kSeqField) return error;
  return {Code::unavailable, "An event before this one was not stored. Try again.", {}};
}

}  // namespace

Session::Session(SessionContext& context, event::SessionRow row, event::HomeEpoch epoch)
    : context_(context),
      row_(std::move(row)),
      home_epoch_(epoch),
      is_inbox_(is_inbox(row_)),
      row_stored_(row_.last_seq > 0),
      next_seq_(row_.last_seq + 1),
      committed_seq_(row_.last_seq),
      visible_seq_(row_.last_seq),
      taken_up_seq_(row_.last_seq),
      last_at_(row_.last_at - now() <= kMostStepBack ? row_.last_at : core::WallTime{}),
      self_(std::make_shared<Session*>(this)) {}

Session::~Session() {
  *self_ = nullptr;
  cancel_timers();
}

// --- participants ---------------------------------------------------------------------------

Result<void> Session::join(Participant& participant) {
  if (moved_) return core::fail(event::owned_elsewhere());
  if (participants_->size() >= context_.limits.max_participants) {
    return core::fail(Code::resource_exhausted,
                      "This session has reached its limit of participants. Try again later.");
  }
  PARLEY_ASSERT(context_.scheduler.in_thread(),
                "session " + row_.id + ": joined by another thread");
  PARLEY_ASSERT(
      std::find(participants_->begin(), participants_->end(), &participant) == participants_->end(),
      "session " + row_.id + ": a participant joins twice");
  changeable_participants().push_back(&participant);
  by_client_[participant.info().client_id] = &participant;
  const auto everyone = participants_;
  for (Participant* other : *everyone) {
    if (other != &participant) other->on_presence(participant.info(), Presence::joined);
  }
  return {};
}

// The list for a change; callbacks that are under way go on with the one before.
Session::Participants& Session::changeable_participants() {
  if (participants_.use_count() > 1) participants_ = std::make_shared<Participants>(*participants_);
  return *participants_;
}

void Session::leave(Participant& participant) {
  const auto found = std::find(participants_->begin(), participants_->end(), &participant);
  if (found == participants_->end()) return;
  const auto place = found - participants_->begin();
  Participants& participants = changeable_participants();
  participants[static_cast<std::size_t>(place)] = participants.back();
  participants.pop_back();
  by_client_.erase(participant.info().client_id);
  const auto others = participants_;
  for (Participant* other : *others) other->on_presence(participant.info(), Presence::left);
  check_idle();
}

void Session::renamed(Participant& participant) {
  const auto others = participants_;
  for (Participant* other : *others) {
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
  for (Participant* participant : *everyone) participant->on_leave_required(reason);
}

// --- events ---------------------------------------------------------------------------------

event::Event Session::next_event(std::string direction, std::string type, std::string payload,
                                 std::optional<core::WallTime> at) {
  PARLEY_ASSERT(!commit_failed_, "session " + row_.id + ": event " + std::to_string(next_seq_) +
                                     " is numbered while an earlier one is known to be lost");
  PARLEY_ASSERT(next_seq_ > std::max(committed_seq_, visible_seq_),
                "session " + row_.id + ": number " + std::to_string(next_seq_) +
                    " is given again; stored " + std::to_string(committed_seq_) + ", seen " +
                    std::to_string(visible_seq_));
  event::Event event;
  event.session = row_.id;
  event.seq = next_seq_++;
  event.at = last_at_ = std::max(last_at_, at ? *at : now());
  event.direction = std::move(direction);
  event.type = std::move(type);
  event.payload = std::move(payload);
  return event;
}

core::Error Session::refusal() const {
  if (moved_) return event::owned_elsewhere();
  return {Code::data_loss, "The store failed. Try again.", ""};
}

event::Unit Session::next_unit(std::vector<NewEvent> events) {
  event::Unit unit;
  unit.events.reserve(events.size());
  for (NewEvent& event : events) {
    unit.events.push_back(next_event(std::move(event.direction), std::move(event.type),
                                     std::move(event.payload), event.at));
    unit.events.back().live = std::move(event.live);
  }
  return unit;
}

void Session::append(std::string direction, std::string type, std::string payload, EventDone done) {
  const event::Durability durability = event::durability_of(type);
  if (durability == event::Durability::transient) {
    done(core::fail(Code::invalid_argument, "Events of this type are not stored.", "type"));
    return;
  }
  if (payload.size() > core::limits::kMaxPayloadBytes) {
    done(core::fail(Code::invalid_argument, "The event is larger than the limit.", "payload"));
    return;
  }
  if (cannot_store()) {
    done(core::fail(refusal()));
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
  event::Unit unit;
  unit.events.push_back(std::move(event));
  store(std::move(unit), durability, {});
  done(seq);
}

void Session::skip_lost_numbers() {
  if (std::exchange(lost_numbers_skipped_, true)) return;
  const std::uint64_t before = next_seq_;
  burnt_seq_ = std::max(burnt_seq_, next_seq_ - 1) + context_.store.max_lost_numbers();
  number_after_loss();
  PARLEY_ASSERT(next_seq_ >= before, "session " + row_.id + ": numbers go back from " +
                                         std::to_string(before) + " to " +
                                         std::to_string(next_seq_));
  check_idle();
}

// Resumes numbering after the last stored event. If numbers above it were used, skips them and
// leaves one number for the event that records the gap.
void Session::number_after_loss() {
  burnt_seq_ = std::max(burnt_seq_, visible_seq_);
  skip_due_ = burnt_seq_ > committed_seq_;
  next_seq_ = skip_due_ ? burnt_seq_ + 2 : committed_seq_ + 1;
}

// Stored as a unit of its own and as durable, so that later events can depend on it. If it fails,
// the later events fail as well, and the next event announces the gap again.
void Session::announce_skip(std::uint64_t before) {
  if (!std::exchange(skip_due_, false)) return;
  event::Event event;
  event.session = row_.id;
  event.seq = before - 1;
  event.at = last_at_;
  event.direction = "out";
  event.type = event::kNumbersSkipped;
  event.payload = "{}";
  commit(std::move(event), std::nullopt, {});  // a failure is reported by the events that follow
}

// Stores the gap before the session is dropped from memory: a reloaded session is numbered by its
// stored events.
void Session::announce_skip_later() {
  if (skip_timer_ != 0) return;
  skip_timer_ = context_.scheduler.after(kStoreRetry, [this] {
    skip_timer_ = 0;
    if (!deserted() || moved_) return;
    last_at_ = std::max(last_at_, now());
    announce_skip(next_seq_);
    check_idle();
  });
}

Result<std::uint64_t> Session::append_flowing(std::vector<NewEvent> events, FlowLost lost) {
  for (const NewEvent& event : events) {
    if (event::durability_of(event.type) != event::Durability::flowing) {
      return core::fail(Code::invalid_argument,
                        "The type \"" + event.type + "\" is not a flowing one.", "type");
    }
    if (event.payload.size() > core::limits::kMaxPayloadBytes) {
      return core::fail(Code::invalid_argument, "The event is larger than the limit.", "payload");
    }
  }
  if (cannot_store()) return core::fail(refusal());
  if (events.empty()) return next_seq_ - 1;
  event::Unit unit = next_unit(std::move(events));
  const std::uint64_t last = unit.events.back().seq;
  store(std::move(unit), event::Durability::flowing,
        [lost = std::move(lost)](const Result<void>& result) mutable {
          if (!result && lost) lost(result.error());
        });
  return last;
}

void Session::append_durable(std::vector<NewEvent> events, EventDone done) {
  if (events.empty()) return done(next_seq_ - 1);
  for (const NewEvent& event : events) {
    if (event.payload.size() <= core::limits::kMaxPayloadBytes) continue;
    done(core::fail(Code::invalid_argument, "The event is larger than the limit.", "payload"));
    return;
  }
  if (cannot_store()) {
    done(core::fail(refusal()));
    return;
  }
  event::Unit unit = next_unit(std::move(events));
  const std::uint64_t last = unit.events.back().seq;
  store(std::move(unit), event::Durability::durable,
        [done = std::move(done), last](const Result<void>& result) mutable {
          if (!result) return done(core::fail(result.error()));
          done(last);
        });
}

void Session::commit(event::Event event, std::optional<event::InteractionChange> change,
                     Stored done) {
  event::Unit unit;
  unit.events.push_back(std::move(event));
  if (change) unit.changes.push_back(std::move(*change));
  store(std::move(unit), event::Durability::durable, std::move(done));
}

void Session::store(event::Unit unit, event::Durability durability, Stored done) {
  PARLEY_ASSERT(context_.scheduler.in_thread(), "session " + row_.id + ": used by another thread");
  PARLEY_ASSERT(durability != event::Durability::transient,
                "session " + row_.id + ": a transient event is given to the store");
  PARLEY_ASSERT(!unit.events.empty(), "session " + row_.id + ": a unit has no events");
  const bool flowing = durability == event::Durability::flowing;
  const std::uint64_t first = unit.events.front().seq;
  const std::uint64_t last = unit.events.back().seq;
  announce_skip(first);
  PARLEY_ASSERT(last - first + 1 == unit.events.size() && last < next_seq_,
                "session " + row_.id + ": the numbers of a unit, " + std::to_string(first) +
                    " to " + std::to_string(last) + ", have a gap or were not given yet");
  PARLEY_ASSERT(unseen_.empty() || first == unseen_.back().last() + 1 ||
                    unit.events.front().type == event::kNumbersSkipped,
                "session " + row_.id + ": event " + std::to_string(first) +
                    " does not follow event " + std::to_string(unseen_.back().last()));
  if (!std::exchange(row_stored_, true)) unit.session = row_;
  unit.home_epoch = home_epoch_;
  auto shared = std::make_shared<const event::Unit>(std::move(unit));
  unseen_.push_back(Unseen{shared, flowing, flowing});
  ++units_in_flight_;
  auto stored = [self = self_, first, last,
                 done = std::move(done)](Result<event::Revision> result) mutable {
    if (*self == nullptr) return;
    const bool had_moved = (*self)->moved_;
    (*self)->on_stored(first, last, result);
    if (done) {
      Result<void> end;
      if (!result) end = core::fail(as_told(std::move(result.error())));
      static_cast<void>(core::contain("store answer", [&] { done(std::move(end)); }));
    }
    if (*self == nullptr) return;
    (*self)->show_ready();
    if (*self != nullptr && (*self)->moved_)
      had_moved ? (*self)->give_up_open() : (*self)->step_down();
    if (*self != nullptr) (*self)->note_flushed();
    if (*self != nullptr) (*self)->check_idle();
  };
  if (!flowing) {
    context_.store.commit(std::move(shared), context_.scheduler, std::move(stored));
    return;
  }
  context_.store.append_flowing(std::move(shared), context_.scheduler, std::move(stored));
  show_ready();
}

void Session::on_stored(std::uint64_t first, std::uint64_t last,
                        const Result<event::Revision>& result) {
  PARLEY_ASSERT(units_in_flight_ > 0, "session " + row_.id + ": event " + std::to_string(first) +
                                          " is answered by the store twice");
  --units_in_flight_;
  if (result) {
    PARLEY_ASSERT(first > committed_seq_ && last < next_seq_,
                  "session " + row_.id + ": event " + std::to_string(first) +
                      " is stored after event " + std::to_string(committed_seq_) +
                      ", out of the order of commit");
    PARLEY_ASSERT(*result >= revision_, "session " + row_.id + ": revision " +
                                            std::to_string(*result) + " after revision " +
                                            std::to_string(revision_));
    revision_ = *result;
    committed_seq_ = last;
    const auto it = std::find_if(unseen_.begin(), unseen_.end(),
                                 [first](const Unseen& unseen) { return unseen.first() == first; });
    PARLEY_ASSERT(it != unseen_.end() || last <= visible_seq_,
                  "session " + row_.id + ": event " + std::to_string(first) +
                      " is stored and would never be seen");
    if (it != unseen_.end()) it->ready = true;
  } else {
    commit_failed_ = true;
    if (result.error().code == Code::owned_elsewhere) moved_ = true;
    hide_after_failure(first);
    spdlog::error("session {}: event {} was not stored: {}", row_.id, first,
                  result.error().message);
  }
  if (commit_failed_ && units_in_flight_ == 0) {
    // No event exists after the last stored one: the store refuses events that do not follow it.
    commit_failed_ = false;
    std::erase_if(unseen_,
                  [this](const Unseen& unseen) { return unseen.first() > committed_seq_; });
    number_after_loss();
    row_stored_ = committed_seq_ > 0;
  }
  PARLEY_ASSERT(units_in_flight_ > 0 || skip_due_ || next_seq_ == committed_seq_ + 1,
                "session " + row_.id + ": nothing is being stored, and number " +
                    std::to_string(next_seq_) + " would follow event " +
                    std::to_string(committed_seq_));
}

void Session::leave_home() {
  if (std::exchange(moved_, true)) return;
  const std::shared_ptr<Session*> self = self_;
  step_down();
  if (*self != nullptr) check_idle();
}

void Session::when_flushed(core::Task done) {
  flushed_.push_back(std::move(done));
  note_flushed();
}

void Session::note_flushed() {
  if (units_in_flight_ > 0) return;
  for (core::Task& done : std::exchange(flushed_, {})) done();
}

// Gives up the session, which another node owns now. Pending interactions stay pending in the store
// for that node; one that is being opened or closed gets the result of its own commit.
void Session::step_down() {
  spdlog::warn("session {}: another node owns it; its participants are disconnected after event {}",
               row_.id, visible_seq_);
  context_.scheduler.cancel(std::exchange(skip_timer_, 0));
  give_up_open();
  shown_.clear();
  const auto everyone = participants_;
  for (Participant* participant : *everyone) {
    static_cast<void>(core::contain(
        "participant", [&] { participant->on_leave_required(LeaveReason::home_moved); }));
  }
}

// Hides the failed unit, and the ready units behind it up to the next unanswered durable one: the
// store has refused them. A later durable unit gets an answer of its own.
void Session::hide_after_failure(std::uint64_t first) {
  const auto failed = std::find_if(unseen_.begin(), unseen_.end(), [first](const Unseen& unseen) {
    return unseen.first() == first;
  });
  if (failed == unseen_.end()) return;  // a flowing unit that is already visible
  const auto next_durable = std::find_if(std::next(failed), unseen_.end(),
                                         [](const Unseen& unseen) { return !unseen.ready; });
  unseen_.erase(failed, next_durable);
}

void Session::show_ready() {
  // A participant may append in its on_events(): such events are shown once all have seen this
  // unit.
  if (std::exchange(showing_, true)) return;
  while (!unseen_.empty() && unseen_.front().ready) {
    PARLEY_ASSERT(unseen_.front().first() > visible_seq_,
                  "session " + row_.id + ": event " + std::to_string(unseen_.front().first()) +
                      " is shown after event " + std::to_string(visible_seq_));
    PARLEY_ASSERT(unseen_.front().flowing || unseen_.front().last() <= committed_seq_,
                  "session " + row_.id + ": event " + std::to_string(unseen_.front().last()) +
                      " is shown before it is stored; stored " + std::to_string(committed_seq_));
    const event::UnitPtr unit = std::move(unseen_.front().unit);
    unseen_.pop_front();
    visible_seq_ = unit->events.back().seq;
    const auto everyone = participants_;
    for (Participant* participant : *everyone) {
      // An exception in one participant must not hide the event from the others.
      static_cast<void>(core::contain("participant", [&] { participant->on_events(unit); }));
    }
  }
  showing_ = false;
}

// --- transient messages ---------------------------------------------------------------------

Result<void> Session::send_direct(DirectMessage message, std::string_view to_client_id) {
  Participant* receiver = find_participant(to_client_id);
  if (receiver == nullptr) {
    return core::fail(Code::not_found, "The receiver is not online.", "receiver");
  }
  PARLEY_ASSERT(receiver->info().client_id == to_client_id,
                "session " + row_.id + ": a message would reach another participant");
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
  for (Participant* participant : *everyone) {
    if (participant->info().client_id != signal.from_client_id) participant->on_signal(signal);
  }
}

bool Session::notify_answering(const Answering& answering) {
  if (!find_pending(answering.key)) return false;
  const auto everyone = participants_;
  for (Participant* participant : *everyone) {
    if (participant->info().client_id != answering.from_client_id) {
      participant->on_answering(answering);
    }
  }
  return true;
}

bool Session::deserted() const {
  const bool is_deserted = participants_->empty() && entries_.empty() && units_in_flight_ == 0 &&
                           reads_in_flight_ == 0 && shown_.empty() && unseen_.empty();
  PARLEY_ASSERT(!is_deserted || (by_seq_.empty() && entry_bytes_ == 0 && !commit_failed_),
                "session " + row_.id + ": nothing is pending, but " +
                    std::to_string(by_seq_.size()) + " are listed and " +
                    std::to_string(entry_bytes_) + " bytes are counted");
  return is_deserted;
}

// For a moved session the new home skips the lost numbers.
bool Session::idle() const { return deserted() && (moved_ || !skip_due_); }

void Session::check_idle() {
  if (!deserted()) return;
  if (skip_due_ && !moved_) return announce_skip_later();
  if (context_.on_idle) context_.on_idle(row_.id);
}

}  // namespace parley::session
