// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "base/core/entropy.h"
#include "base/core/limits.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/core/string_map.h"
#include "base/core/work_gate.h"
#include "model/event/session_store.h"
#include "model/session/gate.h"
#include "model/session/interaction.h"
#include "model/session/participant.h"

namespace parley::session {

// Settings of the model; the defaults are those of base/core/limits.h.
struct SessionLimits {
  std::size_t max_pending = core::limits::kMaxPendingPerSession;
  std::size_t max_pending_bytes = core::limits::kMaxPendingBytesPerSession;
  std::size_t max_participants = core::limits::kMaxParticipantsPerSession;
  std::size_t max_waiters = core::limits::kMaxWaitersPerInteraction;
  core::Millis default_wait = core::limits::kDefaultWait;
  core::Millis max_wait = core::limits::kMaxWait;
  core::Millis caller_grace = core::limits::kCallerGrace;
};

// The name that a participant gives itself. Copied into the outcome beside the authority's holder.
struct ActorName {
  std::string client_id = {};
  std::string nickname = {};
};

// The participant that answers or cancels.
struct Actor {
  Authority authority;
  ActorName name = {};
  Channel channel = Channel::unknown;
  Shown shown = {};  // of an answer
};

struct AnswerReceipt {
  bool won = false;  // this answer is the outcome
  // With the final outcome; null: another one ended it, and this actor may not read it.
  InteractionPtr interaction;
};

// An end that an actor wants for an interaction.
struct Ending {
  Authority by;
  InteractionState state = InteractionState::answered;
  Outcome outcome = {};
};

// The way between an inbox and the other sessions of its owner, which may be on other threads. Any
// shard's thread; the calls do not wait.
class InboxRoute {
 public:
  using Done = absl::AnyInvocable<void(core::Result<AnswerReceipt>)>;

  InboxRoute() = default;
  InboxRoute(const InboxRoute&) = delete;
  InboxRoute& operator=(const InboxRoute&) = delete;
  virtual ~InboxRoute() = default;

  // Shows an interaction of another session in the inbox of `owner`: Session::show(). The calls of
  // one session arrive in their order.
  virtual void show(const std::string& owner, InteractionPtr interaction) = 0;
  // Session::hide().
  virtual void hide(const std::string& owner, InteractionPtr interaction) = 0;
  // Session::end() in the interaction's own session. `done` is called once, on `back`, after the
  // inbox was shown an end that this call has caused or met. Errors: those of Hub::with_session()
  // and Session::answer().
  virtual void end(const std::string& owner, const Interaction& interaction, Ending ending,
                   core::Scheduler& back, Done done) = 0;
};

// An observer of the interactions of all sessions of a node, also of sessions without participants:
// for services that reach people outside their user interfaces. The calls are on the thread of the
// session's shard and must not wait.
class InteractionWatcher {
 public:
  InteractionWatcher() = default;
  InteractionWatcher(const InteractionWatcher&) = delete;
  InteractionWatcher& operator=(const InteractionWatcher&) = delete;
  virtual ~InteractionWatcher() = default;

  // The interaction is durable and pending. After a restart, the call is repeated for each
  // interaction that is still pending.
  virtual void on_opened(const event::SessionRow& session, const InteractionPtr& interaction) = 0;
  // Its end is durable.
  virtual void on_closed(const event::SessionRow& session, const InteractionPtr& interaction) = 0;
  // It stays open, and another node of the cluster has it, whose watcher gets on_opened().
  virtual void on_left(const event::SessionRow& session, const InteractionPtr& interaction) = 0;
};

// The dependencies of sessions. Outlives every session.
struct SessionContext {
  core::Scheduler& scheduler;  // the shard's
  core::Entropy& entropy;
  event::SessionStore& store;
  SessionLimits limits;
  // Called when a session has become idle(), after the call that made it so.
  std::function<void(const std::string& session_id)> on_idle;
  InboxRoute* route = nullptr;            // null: no inbox shows interactions of other sessions
  InteractionWatcher* watcher = nullptr;  // null: none
};

struct AskRequest {
  Authority by;          // its asker is stored with the interaction
  std::string key = {};  // empty: the session makes a key
  InteractionKind kind = InteractionKind::question;
  Prompt prompt =
      {};  // timeout_s <= 0 means the default wait; larger values are cut to the maximum
  // Consulted before a new interaction is opened; null: none. Outlives the session.
  core::WorkGate* gate = nullptr;
  // The people of the session's owner are asked, in the inbox too. True in any case in the session
  // that is the inbox.
  bool in_inbox = false;
};

// Id of a waiting caller of ask(). Never 0.
using WaiterId = std::uint64_t;

// A conversation, a run, a study, the workspace of a token: the unit of order and ownership. Lives
// on one shard; every call and callback is on that shard's thread. Events get their seq here;
// participants see a durable event, and callers get their answer, only after it is committed.
class Session {
 public:
  // Called once: with the closed interaction, or with an error. `already_exists`: the key was used
  // for another request, for one that this asker may not read, or, in an inbox, by another session.
  // `resource_exhausted`: too many pending or waiting, the question is larger than an event may be,
  // or the disk is full. `invalid_argument`: the key is too long. `unavailable` with the field
  // kShuttingDown: the server is shutting down; the interaction stays pending and is open again
  // after the restart. `owned_elsewhere`: another node owns the session, where the interaction
  // stays pending. `data_loss`, `failed_precondition`: the store failed; nothing was stored.
  using AskDone = absl::AnyInvocable<void(core::Result<InteractionPtr>)>;
  // Called at most once, before `done`: the interaction is durable and pending.
  using AskOpened = std::function<void(const InteractionPtr&)>;
  using AnswerDone = absl::AnyInvocable<void(core::Result<AnswerReceipt>)>;
  using EventDone = absl::AnyInvocable<void(core::Result<std::uint64_t>)>;

  // `epoch`: SessionStore::home_epoch() as it was before `row` was read.
  Session(SessionContext& context, event::SessionRow row, event::HomeEpoch epoch);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  const std::string& id() const { return row_.id; }
  const std::string& owner() const { return row_.owner; }
  const std::string& dialect() const { return row_.dialect; }
  core::Scheduler& scheduler() const { return context_.scheduler; }  // of its shard

  // --- participants -------------------------------------------------------------------------

  // Adds a participant, which must leave() before it is destroyed. The others get on_presence.
  // Errors: `resource_exhausted`, `owned_elsewhere`.
  core::Result<void> join(Participant& participant);
  void leave(Participant& participant);
  // Reports to the others that info().nickname has changed.
  void renamed(Participant& participant);
  const std::vector<Participant*>& participants() const { return *participants_; }
  Participant* find_participant(std::string_view client_id) const;
  // Sends every participant away, and ends every waiting call with `unavailable`.
  void require_leave(LeaveReason reason);

  // --- interactions -------------------------------------------------------------------------

  // Asks and waits. The same key with an equal request attaches to the pending interaction, or gets
  // the recorded end at once. Both callbacks may run before ask() returns.
  WaiterId ask(AskRequest request, AskDone done, AskOpened opened = nullptr);
  // Drops the `done` of a caller that has gone. Once the last caller of a pending interaction has
  // gone, the interaction is cancelled after the grace, unless it was restored after a restart and
  // not asked again. A caller that may not cancel it leaves it open.
  void abandon(WaiterId waiter);
  // The first answer wins. Errors: `not_found` (this session never had an interaction with this
  // key, or the actor may neither answer nor read it), `permission_denied` (permitted();
  // field "rights"), `failed_precondition` (check_shown(); field "shown"), `resource_exhausted`
  // (the answer is larger than an event may be, or the disk is full), `data_loss`,
  // `failed_precondition` or `unavailable` (the store failed). After every error but `not_found` a
  // pending interaction is pending as before. In an inbox, the key may be that of an interaction of
  // another session, which is ended there; one of the inbox itself comes first.
  void answer(std::string_view key, Answer answer, Actor actor, AnswerDone done);
  // Ends a pending interaction. Errors as answer(); won=false if it had ended already.
  void cancel(std::string_view key, std::string reason, Actor actor, AnswerDone done);
  // answer() and cancel() as one, for an ending that has been made already.
  void end(const std::string& key, Ending ending, AnswerDone done);
  // Ends a pending interaction that its asker no longer wants. If the store fails, the attempt is
  // repeated, each time after the grace. A no-op if no interaction with this key is in memory, or
  // if `by` may not cancel it.
  void withdraw(std::string_view key, std::string reason, const Authority& by);
  // In an inbox: an interaction of another session of the owner is pending or has ended; the
  // participants are told, and pending() has it until its end. One that exceeds
  // SessionLimits::max_pending, or whose key another one shown has, is not shown.
  void show(const InteractionPtr& interaction);
  // In an inbox: another node owns the session of this pending interaction now.
  void hide(const Interaction& interaction);
  bool is_pending(std::string_view key) const { return find_pending(key) != nullptr; }
  // The pending, durable interaction with this key; null if there is none. In an inbox, one of the
  // inbox itself comes before those that it shows.
  InteractionPtr find_pending(std::string_view key) const;
  // The pending interactions that are durable, in order of creation; in an inbox, with those of
  // other sessions that it shows.
  std::vector<InteractionPtr> pending() const;
  // Without those of other sessions.
  std::size_t pending_count() const { return by_seq_.size(); }

  // --- events -------------------------------------------------------------------------------

  // Appends an event of this session. `done` gets its seq: after commit for a durable type, at once
  // for a flowing one. Errors: those of SessionStore::commit, `invalid_argument` (a transient type,
  // or a payload above kMaxPayloadBytes).
  void append(std::string direction, std::string type, std::string payload, EventDone done);
  // Appends several events as one unit: all are stored, in this order, or none. They count as
  // durable, whatever their types. `done` gets the seq of the last one. Errors as append().
  struct NewEvent {
    std::string direction;
    std::string type;
    std::string payload;
    std::optional<core::WallTime> at = std::nullopt;  // time of the event; empty: now
    event::LivePtr live = nullptr;                    // for the event's watchers
  };
  void append_durable(std::vector<NewEvent> events, EventDone done);
  // Appends several flowing events as one unit, and shows them at once, or as soon as the durable
  // events before them are visible. If the store fails, all are lost: `lost` is called, never
  // before the call returns, and durable events that were appended meanwhile fail too. Errors: as
  // append(); `invalid_argument` for a type that is not flowing.
  using FlowLost = absl::AnyInvocable<void(const core::Error&)>;
  core::Result<std::uint64_t> append_flowing(std::vector<NewEvent> events, FlowLost lost = {});
  // After a kill, or a move from a node that did not end its commits: watchers may have seen
  // flowing events that are not stored, and no later event may reuse their numbers. Once in an
  // object's life. The next event's number is higher by SessionStore::max_lost_numbers(), and an
  // event before it (kNumbersSkipped) records the gap.
  void skip_lost_numbers();
  // The seq of the last event that watchers have seen.
  std::uint64_t visible_seq() const { return visible_seq_; }
  // Seq of the last event that was stored before this object existed. Pending interactions up to it
  // were opened before a restart, or on another node.
  std::uint64_t taken_up_seq() const { return taken_up_seq_; }

  // --- transient messages -------------------------------------------------------------------

  // To one participant. Errors: `not_found`.
  core::Result<void> send_direct(DirectMessage message, std::string_view to_client_id);
  core::Result<void> send_signal(const Signal& signal, std::string_view to_client_id);
  void broadcast_signal(const Signal& signal);  // to all but the sender
  // Tells the others. False: no interaction with this key is pending, and nobody is told.
  bool notify_answering(const Answering& answering);

  // --- life cycle (called by Shard) ---------------------------------------------------------

  // The session has, or will have, another home: it takes nothing more, its waiting calls fail with
  // `owned_elsewhere`, and its participants have to leave. Units in flight get their answers.
  void leave_home();
  // Calls `done` when no unit is in flight, before the call returns if there is none now.
  void when_flushed(core::Task done);

  // Restores a pending interaction from the store; one past its deadline expires at once.
  void restore(Interaction interaction);
  // True if the session may be dropped from memory: no participant, nothing pending or being
  // stored, flowing events included, and no number that was seen can be reused.
  bool idle() const;
  // Another node owns the session, as a commit has shown. Every call that would store something
  // fails with `owned_elsewhere` from then on, nothing is pending here, and all participants were
  // told to leave; the session leaves memory with the last of them.
  bool has_moved() const { return moved_; }

 private:
  struct Entry;
  using EntryPtr = std::shared_ptr<Entry>;
  using Participants = std::vector<Participant*>;

  using Stored = absl::AnyInvocable<void(core::Result<void>)>;
  using FoundDone = event::SessionStore::Done<std::optional<event::StoredInteraction>>;

  // Events with their seqs that are not visible yet, all of one unit together.
  struct Unseen {
    event::UnitPtr unit;
    bool flowing = false;
    bool ready = false;
    std::uint64_t first() const { return unit->events.front().seq; }
    std::uint64_t last() const { return unit->events.back().seq; }
  };

  // session_asking.cpp
  core::Result<void> may_ask(const AskRequest& request, const Entry* known,
                             std::string_view print) const;
  core::Result<void> has_room_for(const AskRequest& request) const;
  void look_up(const EntryPtr& entry);
  core::Error unknown_pending(const event::StoredInteraction& found) const;
  void read_stored(std::string key, FoundDone done);
  void on_looked_up(const EntryPtr& entry,
                    core::Result<std::optional<event::StoredInteraction>> found);
  void resume_with(const EntryPtr& entry,
                   core::Result<std::optional<event::StoredInteraction>> found);
  void open(const EntryPtr& entry);
  void refuse(const EntryPtr& entry, const core::Error& error);
  void on_opened(const EntryPtr& entry, core::Result<void> result);
  void start_grace(const EntryPtr& entry);
  void end_grace(const EntryPtr& entry);

  // session_interactions.cpp
  void close(const EntryPtr& entry, InteractionState state, Outcome outcome, AnswerDone done);
  void on_closed(const EntryPtr& entry, core::Result<void> result);
  static core::Result<void> judge(const Ending& ending, const Interaction& interaction);
  void end_unknown(std::string key, Ending ending, AnswerDone done);
  void show_in_inbox(const InteractionPtr& interaction);
  bool forget_shown(const Interaction& interaction);
  void end_elsewhere(const Interaction& interaction, Ending ending, AnswerDone done);
  void arm_deadline(const EntryPtr& entry);
  void expire(const EntryPtr& entry);
  void refuse_waiters(const EntryPtr& entry, const core::Error& error);
  void keep_entry(const EntryPtr& entry);
  void drop_entry(const EntryPtr& entry);
  void cancel_timers();
  void give_up_open();

  // session.cpp
  Participants& changeable_participants();
  event::Event next_event(std::string direction, std::string type, std::string payload,
                          std::optional<core::WallTime> at = std::nullopt);
  event::Unit next_unit(std::vector<NewEvent> events);
  void commit(event::Event event, std::optional<event::InteractionChange> change, Stored done);
  void store(event::Unit unit, event::Durability durability, Stored done);
  void on_stored(std::uint64_t first, std::uint64_t last,
                 const core::Result<event::Revision>& result);
  bool cannot_store() const { return commit_failed_ || moved_; }
  core::Error refusal() const;
  void step_down();
  void note_flushed();
  void hide_after_failure(std::uint64_t first);
  void number_after_loss();
  void announce_skip(std::uint64_t before);
  void announce_skip_later();
  void show_ready();
  bool deserted() const;
  void check_idle();
  std::string name_of(const Entry& entry) const;
  core::WallTime now() const { return context_.scheduler.clock().wall(); }

  SessionContext& context_;
  event::SessionRow row_;
  const event::HomeEpoch home_epoch_;
  const bool is_inbox_;
  event::Revision revision_ = 0;  // of the last unit that was stored
  bool moved_ = false;
  bool lost_numbers_skipped_ = false;
  std::vector<core::Task> flushed_;
  bool row_stored_ = false;
  bool shutting_down_ = false;
  std::uint64_t next_seq_ = 1;
  std::uint64_t committed_seq_ = 0;
  std::uint64_t visible_seq_ = 0;
  const std::uint64_t taken_up_seq_;
  std::uint64_t burnt_seq_ = 0;  // events get higher numbers only: a lost event may have had this
                                 // one
  bool skip_due_ = false;        // a kNumbersSkipped must precede the next event
  core::WallTime last_at_;  // time of the last event; later events are not earlier, even if the
                            // clock is set back
  std::size_t units_in_flight_ = 0;  // given to the store, durable and flowing
  std::size_t reads_in_flight_ = 0;
  bool commit_failed_ = false;  // a commit failed; cleared once nothing is in flight, and numbering
                                // resumes after the last stored event
  core::TimerId skip_timer_ = 0;
  WaiterId last_waiter_ = 0;
  std::deque<Unseen> unseen_;
  bool showing_ = false;
  // Replaced, not changed, while callbacks go through it: no event copies the list.
  std::shared_ptr<Participants> participants_ = std::make_shared<Participants>();
  core::StringMap<Participant*> by_client_;
  core::StringMap<EntryPtr> entries_;         // by key: the interactions that are not closed
  std::deque<EntryPtr> lookups_;              // waiting for the store's look-up, in order of asking
  std::size_t entry_bytes_ = 0;               // bytes of the prompts in entries_
  std::map<std::uint64_t, EntryPtr> by_seq_;  // durable pending interactions, in order of creation
  core::StringMap<InteractionPtr> shown_;     // by key; of other sessions, in an inbox
  absl::flat_hash_map<WaiterId, std::weak_ptr<Entry>> waiters_;
  std::shared_ptr<Session*> self_;  // held by callbacks; null inside after destruction
};

// Delay before a failed write to the store is retried.
// Limit (The model): retry of a deadline, or of an announced skip, that the store failed to keep.
// Reached: tried again.
inline constexpr core::Millis kStoreRetry{1'000};
// Limit (The model): time by which the last event of a session that is loaded may be later than
// now, after a clock that was set back. Reached: the clock was wrong then, and events get times of
// now.
inline constexpr core::Millis kMostStepBack = std::chrono::hours(24);

// Field of the `unavailable` error that callers get when the server shuts down.
inline constexpr std::string_view kShuttingDown = "shutting_down";

}  // namespace parley::session
