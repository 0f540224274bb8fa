// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The life of an interaction: looked up -> opening -> open -> closing -> gone from memory; a
// mirrored one is deciding before it closes. What is seen of it outside (pending, then one fate) is
// what has been committed.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "core/assert.h"
#include "core/duration_text.h"
#include "core/id.h"
#include "event/interaction_row.h"
#include "session/session.h"

namespace parley::session {

using core::Code;
using core::Result;

namespace {

constexpr std::string_view kCallerGone = "Request was cancelled by client";

core::Millis wait_of(const Prompt& prompt, const SessionLimits& limits) {
  if (prompt.timeout_s <= 0) return limits.default_wait;
  return std::min<core::Millis>(std::chrono::seconds(prompt.timeout_s), limits.max_wait);
}

core::Error other_request() {
  return {Code::already_exists,
          "This ID was used for another request already. Use a new one, or repeat the same "
          "request to get its answer.",
          "ID"};
}

// Checked before it gets a seq: the store would refuse it together with all that follows it.
core::Error too_large(const std::string& what) {
  return {Code::resource_exhausted, "This " + what + " is larger than one may be.", what};
}

}  // namespace

struct Session::Entry {
  enum class Phase : std::uint8_t { looking_up, opening, open, deciding, closing };

  struct Waiter {
    WaiterId id;
    AskDone done;
    AskOpened opened;
  };

  Phase phase = Phase::looking_up;
  std::shared_ptr<Interaction> interaction;
  std::string fingerprint;
  std::size_t bytes = 0;  // of the prompt
  std::vector<Waiter> waiters;
  std::vector<core::Task> after_open;   // answers and cancellations that came too early
  std::shared_ptr<Interaction> closed;  // while closing: how it will have ended
  AnswerDone winner;
  std::vector<AnswerDone> losers;
  core::TimerId deadline_timer = 0;
  core::TimerId grace_timer = 0;
  std::optional<std::string> given_up;  // why the asker no longer wants it: to be cancelled
};

// For messages of broken assertions.
std::string Session::name_of(const Entry& entry) const {
  return "session " + row_.id + ", interaction " + entry.interaction->key + ", phase " +
         std::to_string(static_cast<int>(entry.phase));
}

// --- asking ---------------------------------------------------------------------------------

WaiterId Session::ask(AskRequest request, AskDone done, AskOpened opened) {
  const auto refuse = [&done](Code code, std::string message, std::string field) -> WaiterId {
    done(core::fail(code, std::move(message), std::move(field)));
    return 0;
  };
  if (shutting_down_) {
    return refuse(Code::unavailable, "The server is shutting down. Ask again with the same ID.",
                  std::string(kShuttingDown));
  }
  if (request.key.size() > core::limits::kMaxKeyBytes) {
    return refuse(Code::invalid_argument,
                  "The ID is longer than " + std::to_string(core::limits::kMaxKeyBytes) + " bytes.",
                  "ID");
  }
  if (moved_) {
    const core::Error error = why_not();
    return refuse(error.code, error.message, error.field);
  }
  const bool made_key = request.key.empty();
  if (made_key) request.key = core::new_id(context_.scheduler.clock(), context_.entropy);
  std::string print = session::fingerprint(request.kind, request.prompt);

  EntryPtr entry;
  if (const auto it = entries_.find(request.key); it != entries_.end()) {
    entry = it->second;
    if (entry->fingerprint != print) {
      const core::Error error = other_request();
      return refuse(error.code, error.message, error.field);
    }
    if (entry->waiters.size() >= context_.limits.max_waiters) {
      return refuse(Code::resource_exhausted, "Too many callers wait for this question.", "ID");
    }
  } else if (const Result<void> may = core::admit_work(request.gate); !may) {
    return refuse(may.error().code, may.error().message, may.error().field);
  } else if (entries_.size() >= context_.limits.max_pending) {
    return refuse(Code::resource_exhausted,
                  "Too many questions are open. Answer or cancel some first.", "");
  } else if (const std::size_t bytes = bytes_of(request.prompt);
             entry_bytes_ > 0 && entry_bytes_ + bytes > context_.limits.max_pending_bytes) {
    return refuse(Code::resource_exhausted,
                  "The questions that are open hold " + std::to_string(entry_bytes_) +
                      " bytes, and this one would bring more than there may be "
                      "(sessions.pending_bytes). Answer or cancel some first.",
                  "");
  }
  PARLEY_ASSERT(context_.scheduler.in_thread(), "session " + row_.id + ": asked by another thread");
  const WaiterId waiter = ++last_waiter_;
  const bool is_new = entry == nullptr;
  if (is_new) {
    entry = std::make_shared<Entry>();
    entry->fingerprint = std::move(print);
    entry->interaction = std::make_shared<Interaction>();
    entry->interaction->key = request.key;
    entry->interaction->session = row_.id;
    entry->interaction->kind = request.kind;
    entry->interaction->mirror_of = std::move(request.mirror_of);
    entry->interaction->prompt = std::move(request.prompt);
    keep_entry(entry);
  }
  context_.scheduler.cancel(std::exchange(entry->grace_timer, 0));
  entry->given_up.reset();
  const bool is_open = !is_new && find_pending(request.key) != nullptr;
  entry->waiters.push_back({waiter, std::move(done), is_open ? nullptr : opened});
  waiters_.emplace(waiter, entry);
  if (is_open && opened) opened(entry->interaction);
  if (is_new) {
    // A session without history has no earlier use of the key; neither has a key just made.
    if (made_key || !row_stored_) {
      open(entry);
    } else {
      look_up(entry);
    }
  }
  return waiter;
}

void Session::look_up(const EntryPtr& entry) {
  ++reads_in_flight_;
  context_.store.interaction(
      row_.id, entry->interaction->key, context_.scheduler,
      [self = self_, entry](Result<std::optional<event::StoredInteraction>> found) {
        if (*self != nullptr) (*self)->on_looked_up(entry, std::move(found));
      });
}

void Session::on_looked_up(const EntryPtr& entry,
                           Result<std::optional<event::StoredInteraction>> found) {
  PARLEY_ASSERT(reads_in_flight_ > 0, name_of(*entry) + ": looked up twice");
  PARLEY_ASSERT(entry->phase == Entry::Phase::looking_up,
                name_of(*entry) + ": looked up though it went on");
  --reads_in_flight_;
  if (found && !found->has_value()) {
    open(entry);
    return;
  }
  // The key has had its fate, or the store cannot say: every waiter learns which.
  Result<Interaction> stored =
      found ? interaction_from_payloads((*found)->opened_payload, (*found)->closed_payload)
            : core::fail(found.error());
  if (stored && (*found)->row.fingerprint != entry->fingerprint) {
    stored = core::fail(other_request());
  } else if (stored && stored->state == InteractionState::pending) {
    stored = core::fail(Code::data_loss, "The stored question has no end.", "ID");
  }
  drop_entry(entry);
  if (!stored) {
    refuse_waiters(entry, stored.error());
  } else {
    stored->session = row_.id;
    stored->opened_seq = (*found)->row.opened_seq;
    stored->closed_seq = (*found)->row.closed_seq;
    const auto recorded = std::make_shared<const Interaction>(std::move(*stored));
    for (auto& waiter : std::exchange(entry->waiters, {})) {
      waiters_.erase(waiter.id);
      waiter.done(recorded);
    }
  }
  for (core::Task& task : std::exchange(entry->after_open, {})) task();
  check_idle();
}

void Session::open(const EntryPtr& entry) {
  PARLEY_ASSERT(entry->phase == Entry::Phase::looking_up && entry->interaction->opened_seq == 0,
                name_of(*entry) + ": opened again");
  if (cannot_store()) return refuse(entry, why_not());
  Interaction& interaction = *entry->interaction;
  interaction.id = core::new_id(context_.scheduler.clock(), context_.entropy);
  interaction.opened_at = now();
  interaction.deadline = interaction.opened_at + wait_of(interaction.prompt, context_.limits);
  std::string payload = opened_payload(interaction);
  if (payload.size() > core::limits::kMaxPayloadBytes) return refuse(entry, too_large("question"));
  entry->phase = Entry::Phase::opening;
  event::Event event = next_event("in", std::string(event::kInteractionOpened), std::move(payload));
  interaction.opened_seq = event.seq;
  commit(std::move(event), opening_of(interaction, entry->fingerprint),
         [this, entry](Result<void> result) { on_opened(entry, std::move(result)); });
}

// A question that cannot be opened; whoever waits for it is told.
void Session::refuse(const EntryPtr& entry, const core::Error& error) {
  drop_entry(entry);
  refuse_waiters(entry, error);
  for (core::Task& task : std::exchange(entry->after_open, {})) task();
  check_idle();
}

void Session::on_opened(const EntryPtr& entry, Result<void> result) {
  PARLEY_ASSERT(entry->phase == Entry::Phase::opening, name_of(*entry) + ": opened twice");
  if (!result) {
    drop_entry(entry);
    refuse_waiters(entry, result.error());
  } else {
    PARLEY_ASSERT(entry->interaction->opened_seq <= committed_seq_,
                  name_of(*entry) + ": shown as open before it is stored");
    entry->phase = Entry::Phase::open;
    const bool is_new = by_seq_.emplace(entry->interaction->opened_seq, entry).second;
    PARLEY_ASSERT(is_new, name_of(*entry) + ": opened by the event of another one");
    arm_deadline(entry);
    const auto everyone = participants_;
    for (Participant* participant : everyone) participant->on_opened(entry->interaction);
    std::vector<AskOpened> tell_opened;
    for (Entry::Waiter& waiter : entry->waiters) {
      if (waiter.opened) tell_opened.push_back(std::exchange(waiter.opened, nullptr));
    }
    for (const AskOpened& each : tell_opened) each(entry->interaction);
    start_grace(entry);
  }
  for (core::Task& task : std::exchange(entry->after_open, {})) task();
}

void Session::abandon(WaiterId waiter) {
  const auto it = waiters_.find(waiter);
  if (it == waiters_.end()) return;
  const EntryPtr entry = it->second.lock();
  waiters_.erase(it);
  if (entry == nullptr) return;
  std::erase_if(entry->waiters, [waiter](const Entry::Waiter& w) { return w.id == waiter; });
  if (!entry->waiters.empty()) return;
  entry->given_up = std::string(kCallerGone);
  start_grace(entry);
}

void Session::withdraw(std::string_view key, std::string reason) {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return;
  const EntryPtr entry = it->second;
  entry->given_up = std::move(reason);
  if (entry->phase == Entry::Phase::open) end_grace(entry);
}

// Starts the grace of an open question that was given up; again if its end could not be stored.
void Session::start_grace(const EntryPtr& entry) {
  if (!entry->given_up || entry->phase != Entry::Phase::open || shutting_down_) return;
  context_.scheduler.cancel(entry->grace_timer);
  entry->grace_timer =
      context_.scheduler.after(context_.limits.caller_grace, [this, entry] { end_grace(entry); });
}

void Session::end_grace(const EntryPtr& entry) {
  context_.scheduler.cancel(std::exchange(entry->grace_timer, 0));
  // A decision that does not end it starts the grace again.
  if (entry->phase != Entry::Phase::open) return;
  if (cannot_store()) return start_grace(entry);
  Outcome outcome;
  outcome.reason = *entry->given_up;
  close(entry, InteractionState::cancelled, std::move(outcome), nullptr);
}

// --- answering ------------------------------------------------------------------------------

void Session::answer(std::string_view key, Answer answer, Actor actor, AnswerDone done) {
  Outcome outcome;
  outcome.answer = std::move(answer);
  outcome.client_id = std::move(actor.client_id);
  outcome.nickname = std::move(actor.nickname);
  end(std::string(key), InteractionState::answered, std::move(outcome), std::move(done));
}

void Session::cancel(std::string_view key, std::string reason, Actor actor, AnswerDone done) {
  Outcome outcome;
  outcome.reason = std::move(reason);
  outcome.client_id = std::move(actor.client_id);
  outcome.nickname = std::move(actor.nickname);
  end(std::string(key), InteractionState::cancelled, std::move(outcome), std::move(done));
}

void Session::end(const std::string& key, InteractionState state, Outcome outcome,
                  AnswerDone done) {
  const auto it = entries_.find(key);
  if (it == entries_.end()) {
    if (!moved_) return end_unknown(key, std::move(done));
    if (done) done(core::fail(why_not()));
    return;
  }
  const EntryPtr entry = it->second;
  switch (entry->phase) {
    case Entry::Phase::looking_up:
    case Entry::Phase::opening:
      entry->after_open.emplace_back(
          [this, key, state, outcome = std::move(outcome), done = std::move(done)]() mutable {
            end(key, state, std::move(outcome), std::move(done));
          });
      return;
    case Entry::Phase::open:
      if (context_.decide && !entry->interaction->mirror_of.empty()) {
        return decide(entry, state, std::move(outcome), std::move(done));
      }
      return close(entry, state, std::move(outcome), std::move(done));
    case Entry::Phase::deciding:
    case Entry::Phase::closing:
      if (done) entry->losers.push_back(std::move(done));
      return;
  }
}

// --- mirrored ones --------------------------------------------------------------------------

void Session::decide(const EntryPtr& entry, InteractionState state, Outcome outcome,
                     AnswerDone done) {
  PARLEY_ASSERT(entry->phase == Entry::Phase::open, name_of(*entry) + ": decided while not open");
  entry->phase = Entry::Phase::deciding;
  ++decisions_in_flight_;
  const Interaction& mirror = *entry->interaction;
  context_.decide(mirror.mirror_of, row_.owner, mirror.key, state, outcome,
                  [self = self_, entry, state, outcome,
                   done = std::move(done)](Result<AnswerReceipt> decided) mutable {
                    if (*self == nullptr) return;
                    PARLEY_ASSERT((*self)->decisions_in_flight_ > 0,
                                  (*self)->name_of(*entry) + ": decided twice");
                    --(*self)->decisions_in_flight_;
                    // Without an original it stands for itself.
                    if (!decided && decided.error().code == Code::not_found &&
                        entry->phase == Entry::Phase::deciding) {
                      entry->phase = Entry::Phase::open;
                      return (*self)->close(entry, state, std::move(outcome), std::move(done));
                    }
                    (*self)->on_decided(entry, std::move(decided), std::move(done));
                  });
}

void Session::on_decided(const EntryPtr& entry, Result<AnswerReceipt> decided, AnswerDone done) {
  // The original's end may have come here before this answer.
  if (entry->phase == Entry::Phase::deciding) {
    if (!decided) return undecided(entry, decided.error(), std::move(done));
    entry->phase = Entry::Phase::open;
    const Interaction& original = *decided->interaction;
    const bool won = decided->won;
    return close(entry, original.state, original.outcome,
                 [won, done = std::move(done)](Result<AnswerReceipt> receipt) mutable {
                   if (receipt) receipt->won = won;
                   if (done) done(std::move(receipt));
                 });
  }
  check_idle();
  if (!done) return;
  if (!decided) return done(core::fail(std::move(decided.error())));
  const InteractionPtr ended = entry->closed ? entry->closed : decided->interaction;
  done(AnswerReceipt{decided->won, ended});
}

// Neither it nor its original has ended.
void Session::undecided(const EntryPtr& entry, const core::Error& error, AnswerDone done) {
  entry->phase = Entry::Phase::open;
  context_.scheduler.cancel(entry->deadline_timer);
  arm_deadline(entry);
  start_grace(entry);
  std::vector<AnswerDone> losers = std::exchange(entry->losers, {});
  if (done) done(core::fail(error));
  for (AnswerDone& loser : losers) loser(core::fail(error));
  if (moved_) give_up_open();
}

void Session::settle(std::string_view key, const Interaction& original) {
  PARLEY_ASSERT(original.state != InteractionState::pending,
                "session " + row_.id + ": settled by an original that has not ended");
  const auto it = entries_.find(key);
  if (it == entries_.end()) return;
  const EntryPtr entry = it->second;
  switch (entry->phase) {
    case Entry::Phase::looking_up:
    case Entry::Phase::opening:
      entry->after_open.emplace_back(
          [this, key = std::string(key), original] { settle(key, original); });
      return;
    case Entry::Phase::open:
    case Entry::Phase::deciding:
      entry->phase = Entry::Phase::open;
      return close(entry, original.state, original.outcome, nullptr);
    case Entry::Phase::closing:
      return;
  }
}

// The key is not open: the store says how it ended, if there ever was one.
void Session::end_unknown(std::string key, AnswerDone done) {
  if (!done) return;
  ++reads_in_flight_;
  context_.store.interaction(
      row_.id, std::move(key), context_.scheduler,
      [self = self_,
       done = std::move(done)](Result<std::optional<event::StoredInteraction>> found) mutable {
        if (*self == nullptr) return;
        PARLEY_ASSERT((*self)->reads_in_flight_ > 0,
                      "session " + (*self)->row_.id + ": one read is answered twice");
        --(*self)->reads_in_flight_;
        (*self)->check_idle();
        if (!found) return done(core::fail(found.error()));
        if (!found->has_value()) {
          return done(core::fail(Code::not_found, "No question has this ID.", "ID"));
        }
        auto stored = interaction_from_payloads((*found)->opened_payload, (*found)->closed_payload);
        if (!stored) return done(core::fail(stored.error()));
        stored->session = (*found)->row.session;
        stored->opened_seq = (*found)->row.opened_seq;
        stored->closed_seq = (*found)->row.closed_seq;
        done(AnswerReceipt{false, std::make_shared<const Interaction>(std::move(*stored))});
      });
}

void Session::close(const EntryPtr& entry, InteractionState state, Outcome outcome,
                    AnswerDone done) {
  PARLEY_ASSERT(entry->phase == Entry::Phase::open && entry->closed == nullptr,
                name_of(*entry) + ": ended while not open");
  if (cannot_store()) {
    if (done) done(core::fail(why_not()));
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
    if (done) done(core::fail(too_large("answer")));
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
  for (auto& waiter : std::exchange(entry->waiters, {})) {
    waiters_.erase(waiter.id);
    waiter.done(closed);
  }
  const auto everyone = participants_;
  for (Participant* participant : everyone) participant->on_closed(closed);
  if (winner) winner(AnswerReceipt{true, closed});
  for (AnswerDone& loser : losers) loser(AnswerReceipt{false, closed});
}

// --- deadlines and what is kept -------------------------------------------------------------

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

// Open ones leave memory, and whoever waits for them is told; they stay pending in the store. A
// caller that is told may call again, and so come here while others are being told.
void Session::give_up_open() {
  const auto entries = entries_;
  for (const auto& [key, entry] : entries) {
    const auto kept = entries_.find(key);
    const bool is_here = kept != entries_.end() && kept->second == entry;
    if (is_here && entry->phase == Entry::Phase::open) refuse(entry, why_not());
  }
}

void Session::keep_entry(const EntryPtr& entry) {
  entry->bytes = bytes_of(entry->interaction->prompt);
  entry_bytes_ += entry->bytes;
  entries_.emplace(entry->interaction->key, entry);
}

void Session::drop_entry(const EntryPtr& entry) {
  context_.scheduler.cancel(std::exchange(entry->deadline_timer, 0));
  context_.scheduler.cancel(std::exchange(entry->grace_timer, 0));
  by_seq_.erase(entry->interaction->opened_seq);
  const auto kept = entries_.find(entry->interaction->key);
  PARLEY_ASSERT(kept != entries_.end() && kept->second == entry,
                name_of(*entry) + ": leaves memory twice");
  PARLEY_ASSERT(entry_bytes_ >= entry->bytes,
                name_of(*entry) + ": more bytes leave memory than were counted");
  entries_.erase(kept);
  entry_bytes_ -= entry->bytes;
}

InteractionPtr Session::find_pending(std::string_view key) const {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return nullptr;
  // One that is being closed is pending until its end is stored.
  const Entry::Phase phase = it->second->phase;
  const bool pending = phase != Entry::Phase::looking_up && phase != Entry::Phase::opening;
  return pending ? it->second->interaction : nullptr;
}

std::vector<InteractionPtr> Session::pending() const {
  std::vector<InteractionPtr> result;
  result.reserve(by_seq_.size());
  for (const auto& [seq, entry] : by_seq_) result.push_back(entry->interaction);
  return result;
}

void Session::restore(Interaction interaction) {
  auto entry = std::make_shared<Entry>();
  entry->phase = Entry::Phase::open;
  entry->fingerprint = session::fingerprint(interaction.kind, interaction.prompt);
  entry->interaction = std::make_shared<Interaction>(std::move(interaction));
  keep_entry(entry);
  by_seq_.emplace(entry->interaction->opened_seq, entry);
  arm_deadline(entry);
}

}  // namespace parley::session
