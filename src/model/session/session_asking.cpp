// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The first half of an interaction's life cycle: looked up -> opening -> open, and the grace after
// its asker has gone.
#include <algorithm>
#include <utility>

#include "base/core/assert.h"
#include "base/core/id.h"
#include "base/core/result.h"
#include "base/core/sha256.h"
#include "model/event/interaction_row.h"
#include "model/session/session_entry.h"

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
          "This ID was already used for another request. Use a new one, or repeat the same request "
          "to get its answer.",
          "ID"};
}

// A repeated request sees the interaction that has its key.
bool may_attach(const Authority& by, const Interaction& interaction) {
  return permitted(by, interaction, Deed::read).has_value();
}

}  // namespace

// For messages of failed assertions.
std::string Session::name_of(const Entry& entry) const {
  return "session " + row_.id + ", interaction " + entry.interaction->key + ", phase " +
         std::to_string(static_cast<int>(entry.phase));
}

// Checks a question; `known` is the entry of its key, if the key is in use.
Result<void> Session::may_ask(const AskRequest& request, const Entry* known,
                              std::string_view print) const {
  if (shutting_down_) {
    return core::fail(Code::unavailable, "The server is shutting down. Ask again with the same ID.",
                      std::string(kShuttingDown));
  }
  if (request.key.size() > core::limits::kMaxKeyBytes) {
    return core::fail(
        Code::invalid_argument,
        "The ID is longer than " + std::to_string(core::limits::kMaxKeyBytes) + " bytes.", "ID");
  }
  if (moved_) return core::fail(refusal());
  if (known != nullptr) {
    const bool same = known->fingerprint == print && may_attach(request.by, *known->interaction);
    if (!same) return core::fail(other_request());
    if (known->waiters.size() < context_.limits.max_waiters) return {};
    return core::fail(Code::resource_exhausted, "Too many callers are waiting for this question.",
                      "ID");
  }
  // In an inbox, a key stands for one question, of whatever session.
  if (find_pending(request.key) != nullptr) return core::fail(other_request());
  return has_room_for(request);
}

Result<void> Session::has_room_for(const AskRequest& request) const {
  PARLEY_TRY_VOID(core::admit_work(request.gate));
  if (entries_.size() >= context_.limits.max_pending) {
    return core::fail(Code::resource_exhausted,
                      "Too many questions are open. Answer or cancel some first.", "");
  }
  if (entry_bytes_ > 0 &&
      entry_bytes_ + bytes_of(request.prompt) > context_.limits.max_pending_bytes) {
    return core::fail(Code::resource_exhausted,
                      "The open questions of this session have " + std::to_string(entry_bytes_) +
                          " bytes; with this one they would exceed sessions.pending_bytes. Answer "
                          "or cancel some first.",
                      "");
  }
  return {};
}

WaiterId Session::ask(AskRequest request, AskDone done, AskOpened opened) {
  PARLEY_ASSERT(context_.scheduler.in_thread(), "session " + row_.id + ": asked by another thread");
  const bool made_key = request.key.empty();
  if (made_key) request.key = core::new_id(context_.scheduler.clock(), context_.entropy);
  std::string print = session::fingerprint(request.kind, request.prompt);
  const auto known = entries_.find(request.key);
  const bool is_new = known == entries_.end();
  EntryPtr entry = is_new ? nullptr : known->second;
  if (Result<void> may = may_ask(request, entry.get(), print); !may) {
    done(core::fail(std::move(may.error())));
    return 0;
  }
  const WaiterId waiter = ++last_waiter_;
  if (is_new) {
    entry = std::make_shared<Entry>();
    entry->fingerprint = std::move(print);
    entry->interaction = std::make_shared<Interaction>();
    entry->interaction->key = request.key;
    entry->interaction->session = row_.id;
    entry->interaction->asker = request.by.asker();
    entry->interaction->kind = request.kind;
    entry->interaction->in_inbox = is_inbox_ || request.in_inbox;
    entry->interaction->prompt = std::move(request.prompt);
    keep_entry(entry);
  }
  context_.scheduler.cancel(std::exchange(entry->grace_timer, 0));
  entry->given_up.reset();
  if (permitted(request.by, *entry->interaction, Deed::cancel)) entry->asker_left = false;
  const bool is_open = !is_new && find_pending(request.key) != nullptr;
  entry->waiters.push_back({waiter, request.by, std::move(done), is_open ? nullptr : opened});
  waiters_.emplace(waiter, entry);
  if (is_open && opened) opened(entry->interaction);
  if (is_new) {
    // No look-up: a session without history has used no key, and a new key is unused.
    if (made_key || (!row_stored_ && !is_inbox_)) {
      open(entry);
    } else {
      look_up(entry);
    }
  }
  return waiter;
}

void Session::look_up(const EntryPtr& entry) {
  ++reads_in_flight_;
  lookups_.push_back(entry);
  auto looked_up = [self = self_, entry](Result<std::optional<event::StoredInteraction>> found) {
    if (*self != nullptr) (*self)->on_looked_up(entry, std::move(found));
  };
  read_stored(entry->interaction->key, std::move(looked_up));
}

// The interaction that has used this key: in an inbox, that of another session of the owner too.
void Session::read_stored(std::string key, FoundDone done) {
  if (is_inbox_) {
    return context_.store.inbox_interaction(row_.owner, std::move(key), row_.id, context_.scheduler,
                                            std::move(done));
  }
  context_.store.interaction(row_.id, std::move(key), context_.scheduler, std::move(done));
}

// The error for an interaction that is pending in the store, but not here.
core::Error Session::unknown_pending(const event::StoredInteraction& found) const {
  if (found.row.opened_seq > committed_seq_) return event::owned_elsewhere();
  return {Code::data_loss, "The stored question has no outcome.", "ID"};
}

void Session::on_looked_up(const EntryPtr& entry,
                           Result<std::optional<event::StoredInteraction>> found) {
  PARLEY_ASSERT(reads_in_flight_ > 0, name_of(*entry) + ": looked up twice");
  PARLEY_ASSERT(entry->phase == Entry::Phase::looking_up && !entry->found,
                name_of(*entry) + ": looked up though it went on");
  entry->found = std::move(found);
  // The store answers reads in any order; interactions open in the order of asking.
  while (!lookups_.empty() && lookups_.front()->found) {
    const EntryPtr next = std::move(lookups_.front());
    lookups_.pop_front();
    --reads_in_flight_;
    resume_with(next, *std::exchange(next->found, std::nullopt));
  }
}

void Session::resume_with(const EntryPtr& entry,
                          Result<std::optional<event::StoredInteraction>> found) {
  if (found && !found->has_value()) {
    // Nobody waits for it any more: it is not asked.
    if (entry->given_up && entry->waiters.empty()) {
      return refuse(entry, {Code::cancelled, *entry->given_up});
    }
    open(entry);
    return;
  }
  // The interaction of this key has ended, or the store failed: every waiter gets that result.
  Result<Interaction> stored =
      found ? interaction_from_payloads((*found)->opened_payload, (*found)->closed_payload)
            : core::fail(found.error());
  const bool is_ours = stored && (*found)->row.session == row_.id;
  if (stored && (!is_ours || (*found)->row.fingerprint != entry->fingerprint)) {
    stored = core::fail(other_request());
  } else if (stored && stored->state == InteractionState::pending) {
    stored = core::fail(unknown_pending(**found));
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
      if (may_attach(waiter.by, *recorded)) {
        waiter.done(recorded);
      } else {
        waiter.done(core::fail(other_request()));
      }
    }
  }
  for (core::Task& task : std::exchange(entry->after_open, {})) task();
  check_idle();
}

void Session::open(const EntryPtr& entry) {
  PARLEY_ASSERT(entry->phase == Entry::Phase::looking_up && entry->interaction->opened_seq == 0,
                name_of(*entry) + ": opened again");
  if (cannot_store()) return refuse(entry, refusal());
  Interaction& interaction = *entry->interaction;
  interaction.id = core::new_id(context_.scheduler.clock(), context_.entropy);
  interaction.opened_at = now();
  interaction.deadline = interaction.opened_at + wait_of(interaction.prompt, context_.limits);
  std::string payload = opened_payload(interaction);
  interaction.opened_sha256 = core::sha256_hex(payload);
  if (payload.size() > core::limits::kMaxPayloadBytes)
    return refuse(entry, Entry::too_large("question"));
  entry->phase = Entry::Phase::opening;
  event::Event event = next_event("in", std::string(event::kInteractionOpened), std::move(payload));
  interaction.opened_seq = event.seq;
  commit(std::move(event), opening_of(interaction, entry->fingerprint),
         [this, entry](Result<void> result) { on_opened(entry, std::move(result)); });
}

// Refuses a question that cannot be opened, with `error` for all its waiters.
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
    if (context_.watcher != nullptr) context_.watcher->on_opened(row_, entry->interaction);
    show_in_inbox(entry->interaction);
    const auto everyone = participants_;
    for (Participant* participant : *everyone) participant->on_opened(entry->interaction);
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
  const auto leaving = std::find_if(entry->waiters.begin(), entry->waiters.end(),
                                    [waiter](const Entry::Waiter& w) { return w.id == waiter; });
  if (leaving == entry->waiters.end()) return;
  if (permitted(leaving->by, *entry->interaction, Deed::cancel)) entry->asker_left = true;
  entry->waiters.erase(leaving);
  if (!entry->waiters.empty() || !entry->asker_left) return;
  entry->given_up = std::string(kCallerGone);
  start_grace(entry);
}

void Session::withdraw(std::string_view key, std::string reason, const Authority& by) {
  const auto it = entries_.find(key);
  if (it == entries_.end()) return;
  const EntryPtr entry = it->second;
  if (!permitted(by, *entry->interaction, Deed::cancel)) return;
  entry->given_up = std::move(reason);
  if (entry->phase == Entry::Phase::open) return end_grace(entry);
  if (entry->phase == Entry::Phase::closing) return;
  entry->after_open.emplace_back([this, entry] {
    if (entry->phase == Entry::Phase::open) end_grace(entry);
  });
}

// Starts the grace of an open question that was given up; restarts it after a failure to store its
// end.
void Session::start_grace(const EntryPtr& entry) {
  if (!entry->given_up || entry->phase != Entry::Phase::open || shutting_down_) return;
  context_.scheduler.cancel(entry->grace_timer);
  entry->grace_timer =
      context_.scheduler.after(context_.limits.caller_grace, [this, entry] { end_grace(entry); });
}

void Session::end_grace(const EntryPtr& entry) {
  context_.scheduler.cancel(std::exchange(entry->grace_timer, 0));
  if (entry->phase != Entry::Phase::open) return;
  if (cannot_store()) return start_grace(entry);
  Outcome outcome;
  outcome.reason = *entry->given_up;
  close(entry, InteractionState::cancelled, std::move(outcome), nullptr);
}

}  // namespace parley::session
