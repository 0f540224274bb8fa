// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The second half of an interaction's life cycle: open -> closing -> dropped from memory; and what
// an inbox shows of other sessions. Only committed states are visible outside: pending, then one
// end.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/core/assert.h"
#include "base/core/duration_text.h"
#include "model/event/interaction_row.h"
#include "model/session/session_entry.h"
#include "model/session/shown.h"

namespace parley::session {

using core::Code;
using core::Result;

// --- answering ------------------------------------------------------------------------------

namespace {

core::Error no_such_key() { return {Code::not_found, "No question has this ID.", "ID"}; }

Ending ending_of(InteractionState state, Actor actor) {
  Ending ending{std::move(actor.authority), state};
  ending.outcome.by = {ending.by.holder(), actor.channel};
  ending.outcome.shown = std::move(actor.shown);
  ending.outcome.client_id = std::move(actor.name.client_id);
  ending.outcome.nickname = std::move(actor.name.nickname);
  return ending;
}

// The receipt without the interaction that another actor has ended, if this one may not read it.
Session::AnswerDone shown_to(const Authority& by, Session::AnswerDone done) {
  if (!done) return nullptr;
  return [by, done = std::move(done)](Result<AnswerReceipt> receipt) mutable {
    const bool hides =
        receipt && !receipt->won && !permitted(by, *receipt->interaction, Deed::read);
    if (hides) receipt->interaction = nullptr;
    done(std::move(receipt));
  };
}

}  // namespace

void Session::answer(std::string_view key, Answer answer, Actor actor, AnswerDone done) {
  Ending ending = ending_of(InteractionState::answered, std::move(actor));
  ending.outcome.answer = std::move(answer);
  AnswerDone shown = shown_to(ending.by, std::move(done));
  end(std::string(key), std::move(ending), std::move(shown));
}

void Session::cancel(std::string_view key, std::string reason, Actor actor, AnswerDone done) {
  Ending ending = ending_of(InteractionState::cancelled, std::move(actor));
  ending.outcome.reason = std::move(reason);
  AnswerDone shown = shown_to(ending.by, std::move(done));
  end(std::string(key), std::move(ending), std::move(shown));
}

// An interaction that the actor may not read is refused as one that does not exist.
Result<void> Session::judge(const Ending& ending, const Interaction& interaction) {
  const Deed deed = ending.state == InteractionState::answered ? Deed::answer : Deed::cancel;
  Result<void> may = permitted(ending.by, interaction, deed);
  if (may || permitted(ending.by, interaction, Deed::read)) return may;
  return core::fail(no_such_key());
}

void Session::end(const std::string& key, Ending ending, AnswerDone done) {
  const auto it = entries_.find(key);
  if (it == entries_.end()) {
    if (const InteractionPtr shown = find_pending(key); shown != nullptr) {
      return end_elsewhere(*shown, std::move(ending), std::move(done));
    }
    if (!moved_) return end_unknown(key, std::move(ending), std::move(done));
    if (done) done(core::fail(refusal()));
    return;
  }
  const EntryPtr entry = it->second;
  if (entry->phase == Entry::Phase::looking_up || entry->phase == Entry::Phase::opening) {
    // Judged once it is open: the key may be that of another asker's interaction in the store.
    entry->after_open.emplace_back(
        [this, key, ending = std::move(ending), done = std::move(done)]() mutable {
          end(key, std::move(ending), std::move(done));
        });
    return;
  }
  if (Result<void> may = judge(ending, *entry->interaction); !may) {
    if (done) done(core::fail(std::move(may.error())));
    return;
  }
  if (entry->phase != Entry::Phase::open) {
    if (done) entry->losers.push_back(std::move(done));
    return;
  }
  if (Result<void> same = check_shown(*entry->interaction, ending.outcome.shown); !same) {
    if (done) done(core::fail(std::move(same.error())));
    return;
  }
  close(entry, ending.state, std::move(ending.outcome), std::move(done));
}

// --- the inbox ------------------------------------------------------------------------------

void Session::show_in_inbox(const InteractionPtr& interaction) {
  const bool elsewhere = interaction->in_inbox && !is_inbox_;
  if (elsewhere && context_.route != nullptr) context_.route->show(row_.owner, interaction);
}

void Session::show(const InteractionPtr& interaction) {
  PARLEY_ASSERT(is_inbox_ && interaction->session != row_.id,
                "session " + row_.id + " is shown interaction " + interaction->key +
                    " of session " + interaction->session);
  const auto everyone = participants_;
  if (interaction->state != InteractionState::pending) {
    if (!forget_shown(*interaction)) return;
    for (Participant* participant : *everyone) participant->on_closed(interaction);
    return check_idle();
  }
  const bool fits = !moved_ && shown_.size() < context_.limits.max_pending;
  if (!fits || !shown_.emplace(interaction->key, interaction).second) {
    // It can be answered by its key, and where it is asked.
    spdlog::warn("{}: \"{}\" of {} is not shown: {}", row_.id, interaction->key,
                 interaction->session,
                 moved_  ? "another node owns the inbox"
                 : !fits ? "too many questions are open"
                         : "another question has this ID");
    return;
  }
  for (Participant* participant : *everyone) participant->on_opened(interaction);
}

void Session::hide(const Interaction& interaction) {
  if (forget_shown(interaction)) check_idle();
}

// False: it was not shown.
bool Session::forget_shown(const Interaction& interaction) {
  const auto shown = shown_.find(interaction.key);
  if (shown == shown_.end() || shown->second->id != interaction.id) return false;
  shown_.erase(shown);
  return true;
}

// Ends an interaction of another session, which judges the act.
void Session::end_elsewhere(const Interaction& interaction, Ending ending, AnswerDone done) {
  PARLEY_ASSERT(context_.route != nullptr, "inbox " + row_.id + " has no way to other sessions");
  context_.route->end(row_.owner, interaction, std::move(ending), context_.scheduler,
                      std::move(done));
}

// For a key that is not open: reads the interaction's end from the store, if it ever existed.
void Session::end_unknown(std::string key, Ending ending, AnswerDone done) {
  if (!done) return;
  ++reads_in_flight_;
  auto judged = [self = self_, ending = std::move(ending), done = std::move(done)](
                    Result<std::optional<event::StoredInteraction>> found) mutable {
    if (*self == nullptr) return;
    PARLEY_ASSERT((*self)->reads_in_flight_ > 0,
                  "session " + (*self)->row_.id + ": one read is answered twice");
    --(*self)->reads_in_flight_;
    (*self)->check_idle();
    if (!found) return done(core::fail(found.error()));
    if (!found->has_value()) return done(core::fail(no_such_key()));
    auto stored = interaction_from_payloads((*found)->opened_payload, (*found)->closed_payload);
    if (!stored) return done(core::fail(stored.error()));
    stored->session = (*found)->row.session;
    if (stored->state == InteractionState::pending) {
      if (stored->session != (*self)->row_.id) {
        return (*self)->end_elsewhere(*stored, std::move(ending), std::move(done));
      }
      if ((*self)->entries_.contains(stored->key)) {
        return (*self)->end(stored->key, std::move(ending), std::move(done));
      }
      return done(core::fail((*self)->unknown_pending(**found)));
    }
    if (Result<void> may = judge(ending, *stored); !may) {
      return done(core::fail(std::move(may.error())));
    }
    stored->opened_seq = (*found)->row.opened_seq;
    stored->closed_seq = (*found)->row.closed_seq;
    done(AnswerReceipt{false, std::make_shared<const Interaction>(std::move(*stored))});
  };
  read_stored(std::move(key), std::move(judged));
}

void Session::close(const EntryPtr& entry, InteractionState state, Outcome outcome,
                    AnswerDone done) {
  PARLEY_ASSERT(entry->phase == Entry::Phase::open && entry->closed == nullptr,
                name_of(*entry) + ": ended while not open");
  if (cannot_store()) {
    if (done) done(core::fail(refusal()));
    if (moved_) give_up_open();
    return;
  }
  const auto ended = std::make_shared<Interaction>(*entry->interaction);
  Interaction& closed = *ended;
  closed.state = state;
  closed.outcome = std::move(outcome);
  closed.outcome.at = now();
  std::string payload = closed_payload(closed);
  if (payload.size() > core::limits::kMaxPayloadBytes) {
    if (done) done(core::fail(Entry::too_large("answer")));
    return;
  }
  entry->phase = Entry::Phase::closing;
  context_.scheduler.cancel(std::exchange(entry->deadline_timer, 0));
  context_.scheduler.cancel(std::exchange(entry->grace_timer, 0));
  entry->closed = ended;
  entry->winner = std::move(done);
  event::Event event =
      next_event("out", std::string(event::kInteractionClosed), std::move(payload));
  closed.closed_seq = event.seq;
  PARLEY_ASSERT(closed.closed_seq > closed.opened_seq,
                name_of(*entry) + ": ended before it was opened");
  commit(std::move(event), ending_of(closed),
         [this, entry](Result<void> result) { on_closed(entry, std::move(result)); });
}

void Session::on_closed(const EntryPtr& entry, Result<void> result) {
  PARLEY_ASSERT(entry->phase == Entry::Phase::closing && entry->closed != nullptr,
                name_of(*entry) + ": its end is stored though it was not being ended");
  AnswerDone winner = std::move(entry->winner);
  std::vector<AnswerDone> losers = std::exchange(entry->losers, {});
  if (!result) {
    const bool was_deadline = entry->closed->state == InteractionState::expired;
    entry->phase = Entry::Phase::open;
    entry->closed.reset();
    if (was_deadline) {
      entry->deadline_timer =
          context_.scheduler.after(kStoreRetry, [this, entry] { expire(entry); });
    } else {
      arm_deadline(entry);
    }
    start_grace(entry);
    if (winner) winner(core::fail(result.error()));
    for (AnswerDone& loser : losers) loser(core::fail(result.error()));
    if (moved_) give_up_open();
    return;
  }
  PARLEY_ASSERT(entry->closed->closed_seq <= committed_seq_,
                name_of(*entry) + ": shown as ended before its end is stored");
  drop_entry(entry);
  const InteractionPtr closed = entry->closed;
  if (context_.watcher != nullptr) context_.watcher->on_closed(row_, closed);
  show_in_inbox(closed);
  for (auto& waiter : std::exchange(entry->waiters, {})) {
    waiters_.erase(waiter.id);
    waiter.done(closed);
  }
  const auto everyone = participants_;
  for (Participant* participant : *everyone) participant->on_closed(closed);
  if (winner) winner(AnswerReceipt{true, closed});
  for (AnswerDone& loser : losers) loser(AnswerReceipt{false, closed});
}

// --- deadlines and memory -------------------------------------------------------------------

void Session::arm_deadline(const EntryPtr& entry) {
  const core::Millis left = entry->interaction->deadline - now();
  entry->deadline_timer = context_.scheduler.after(left, [this, entry] { expire(entry); });
}

void Session::expire(const EntryPtr& entry) {
  entry->deadline_timer = 0;
  if (entry->phase != Entry::Phase::open) return;
  const auto waited = std::chrono::duration_cast<core::Millis>(entry->interaction->deadline -
                                                               entry->interaction->opened_at);
  Outcome outcome;
  outcome.reason =
      "Request timed out after " + std::to_string(core::rounded_seconds(waited)) + " seconds";
  if (cannot_store()) {
    entry->deadline_timer = context_.scheduler.after(kStoreRetry, [this, entry] { expire(entry); });
    return;
  }
  close(entry, InteractionState::expired, std::move(outcome), nullptr);
}

void Session::refuse_waiters(const EntryPtr& entry, const core::Error& error) {
  for (auto& waiter : std::exchange(entry->waiters, {})) {
    waiters_.erase(waiter.id);
    waiter.done(core::fail(error));
  }
}

void Session::cancel_timers() {
  context_.scheduler.cancel(std::exchange(skip_timer_, 0));
  for (const auto& [key, entry] : entries_) {
    context_.scheduler.cancel(std::exchange(entry->deadline_timer, 0));
    context_.scheduler.cancel(std::exchange(entry->grace_timer, 0));
  }
}

// Drops the open interactions from memory and ends their waiting calls with refusal(); they stay
// pending in the store. A callback may call this function again.
void Session::give_up_open() {
  const auto entries = entries_;
  for (const auto& [key, entry] : entries) {
    const auto found = entries_.find(key);
    const bool is_here = found != entries_.end() && found->second == entry;
    if (!is_here || entry->phase != Entry::Phase::open) continue;
    const Interaction& removed = *entry->interaction;
    if (removed.in_inbox && !is_inbox_ && context_.route != nullptr) {
      context_.route->hide(row_.owner, entry->interaction);
    }
    if (context_.watcher != nullptr) context_.watcher->on_left(row_, entry->interaction);
    refuse(entry, refusal());
  }
}

void Session::keep_entry(const EntryPtr& entry) {
  entry->bytes = bytes_of(entry->interaction->prompt);
  entry_bytes_ += entry->bytes;
  const bool is_new = entries_.emplace(entry->interaction->key, entry).second;
  PARLEY_ASSERT(is_new, name_of(*entry) + ": is in memory twice");
}

void Session::drop_entry(const EntryPtr& entry) {
  context_.scheduler.cancel(std::exchange(entry->deadline_timer, 0));
  context_.scheduler.cancel(std::exchange(entry->grace_timer, 0));
  by_seq_.erase(entry->interaction->opened_seq);
  const auto found = entries_.find(entry->interaction->key);
  PARLEY_ASSERT(found != entries_.end() && found->second == entry,
                name_of(*entry) + ": leaves memory twice");
  PARLEY_ASSERT(entry_bytes_ >= entry->bytes,
                name_of(*entry) + ": more bytes leave memory than were counted");
  entries_.erase(found);
  entry_bytes_ -= entry->bytes;
}

InteractionPtr Session::find_pending(std::string_view key) const {
  const auto it = entries_.find(key);
  if (it == entries_.end()) {
    const auto shown = shown_.find(key);
    return shown == shown_.end() ? nullptr : shown->second;
  }
  // An interaction that is being closed is pending until its end is stored.
  const Entry::Phase phase = it->second->phase;
  const bool pending = phase != Entry::Phase::looking_up && phase != Entry::Phase::opening;
  return pending ? it->second->interaction : nullptr;
}

std::vector<InteractionPtr> Session::pending() const {
  std::vector<InteractionPtr> result;
  result.reserve(by_seq_.size() + shown_.size());
  for (const auto& [seq, entry] : by_seq_) result.push_back(entry->interaction);
  for (const auto& [key, interaction] : shown_) result.push_back(interaction);
  if (!shown_.empty()) {
    std::sort(result.begin(), result.end(), [](const auto& left, const auto& right) {
      return std::tie(left->opened_at, left->id) < std::tie(right->opened_at, right->id);
    });
  }
  return result;
}

void Session::restore(Interaction interaction) {
  auto entry = std::make_shared<Entry>();
  entry->phase = Entry::Phase::open;
  entry->fingerprint = session::fingerprint(interaction.kind, interaction.prompt);
  entry->interaction = std::make_shared<Interaction>(std::move(interaction));
  keep_entry(entry);
  by_seq_.emplace(entry->interaction->opened_seq, entry);
  if (context_.watcher != nullptr) context_.watcher->on_opened(row_, entry->interaction);
  show_in_inbox(entry->interaction);
  // Its end may be the next event, before the run that asked goes on.
  const bool of_run = entry->interaction->asker.token.empty() && !is_inbox_;
  if (of_run) skip_lost_numbers();
  arm_deadline(entry);
}

}  // namespace parley::session
