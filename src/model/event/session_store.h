// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "model/event/event.h"

namespace parley::event {

class SessionReader;

// The epoch of a stored unit's home, and the number of its transaction. It grows from each unit of
// a session to the next, over restarts and moves to another home.
using Revision = std::uint64_t;

// Grows by one each time that a node takes ownership of a session's home. See Unit::home_epoch.
using HomeEpoch = std::uint64_t;
// In place of an epoch: this node is not the home.
inline constexpr HomeEpoch kNoHome = ~HomeEpoch{0};

// The field of the error `owned_elsewhere`.
inline constexpr std::string_view kHomeField = "home";
// The error of a unit whose home epoch is not the current one.
inline core::Error owned_elsewhere() {
  return {core::Code::owned_elsewhere, "Another node owns this session.", std::string(kHomeField)};
}

// The field of the error of a unit whose first seq does not follow, since an earlier unit failed.
inline constexpr std::string_view kSeqField = "events.seq";

// The row of a session; its events are stored apart.
struct SessionRow {
  std::string id;
  std::string dialect;  // "assistant", "external-agent", "loom", "chat"
  std::string owner;    // id of the owning token; no data crosses to another owner
  std::string title;
  core::WallTime created_at;
  std::uint64_t last_seq = 0;   // 0: no event yet
  std::uint64_t first_seq = 1;  // the oldest kept event; older ones were dropped
  core::WallTime last_at{};     // time of the last event that is kept
};

// The row of an interaction, derived from its two events by derive_row(). The request is the
// payload of the event `opened_seq`, the outcome that of the event `closed_seq`; neither is stored
// twice.
struct InteractionRow {
  std::string session;
  std::string key;  // the asker's own id; unique in its session
  std::string id;   // Parley's own id
  std::string kind;
  std::string state;        // "pending", "answered", "cancelled", "expired"
  std::string fingerprint;  // of the request: distinguishes a repeated call from another request
  core::WallTime opened_at;
  core::WallTime deadline;
  std::uint64_t opened_seq = 0;
  std::uint64_t closed_seq = 0;  // 0 while pending
  // Place in the inbox of the session's owner: grows with each opening and each end in that inbox.
  // 0: the interaction is not in the inbox.
  std::uint64_t change = 0;
};

// An interaction read from the store: its row and the payloads of its two events.
struct StoredInteraction {
  InteractionRow row;
  std::string opened_payload;
  std::string closed_payload;  // empty while pending
};

// The change of an interaction by an event of its unit: `interaction.opened` opens it,
// `interaction.closed` closes it. Explicit, so that the store need not parse payloads, and so that
// an event to which a client gave such a type (a record of a study) changes no row.
struct InteractionChange {
  std::size_t event = 0;  // index of the event in its unit
  std::string key;
  std::string id;
  // State after a closing event: "answered", "cancelled" or "expired".
  std::string state;
  // Request of an opening event.
  std::string kind;
  std::string fingerprint;
  core::WallTime deadline;
  bool in_inbox = false;  // the people of the session's owner are asked: see InboxQuery
};

// Drops the oldest events of a session. The session's row stays, with its owner; numbering
// continues.
struct HistoryDrop {
  std::string session;
  std::uint64_t before = 0;  // events with a lower seq are dropped, with their closed interactions
};

// The atomic unit of a commit: stored completely or not at all. All events belong to one session,
// in order of seq; the first follows the last committed event of the session, or has any later seq
// if its type is kNumbersSkipped.
struct Unit {
  std::optional<SessionRow> session;  // inserted, or its title is changed; last_seq and last_at are
                                      // ignored
  std::vector<Event> events;
  std::vector<InteractionChange> changes;  // interactions that `events` open and close
  // SessionStore::home_epoch() as it was before the session was loaded into memory. The unit is
  // stored only while this node owns the session under this epoch.
  HomeEpoch home_epoch = 0;
  // If set, the rest of the unit is empty. Further errors of commit(): `not_found` (no such
  // session), `failed_precondition` (an interaction that would be dropped is pending).
  std::optional<HistoryDrop> drop = std::nullopt;
};

// Most events that one HistoryDrop should drop: the commits of other sessions wait meanwhile.
// Limit (Runs): events that a deletion removes between two commits. Reached: the rest follows in
// further commits.
inline constexpr std::uint64_t kMaxDroppedEvents = 1'024;

// A unit shared, without a copy, by the store and the watchers of its events.
using UnitPtr = std::shared_ptr<const Unit>;

// A page ends early, with `more`, once its payloads have reached this many bytes.
// Limit (/v1): bytes in one page of events, about. Reached: `more` is true.
inline constexpr std::size_t kMaxPageBytes = 16U << 20U;

struct ReadQuery {
  std::string session;
  std::uint64_t after = 0;                // events with seq > after, the lowest first; not used if
                                          // `before` is set
  std::optional<std::uint64_t> before;    // events with seq < before, the highest first
  std::size_t limit = 100;                // at most limits::kMaxPageEvents
  std::size_t max_bytes = kMaxPageBytes;  // at most kMaxPageBytes
  std::vector<std::string> types;         // empty: all
};

struct EventPage {
  std::vector<Event> events;    // always in ascending order of seq
  std::uint64_t first_seq = 1;  // of the session; if it is above `after` + 1, events were dropped
  std::uint64_t last_seq = 0;   // of the session
  bool more = false;  // further events match, after the last (with `before`: before the first) one
};

// The inbox of an owner: the interactions in all of its sessions that its people are asked, in the
// order of their last change. An interaction has one place, which moves when it ends.
struct InboxQuery {
  std::string owner;
  std::optional<std::uint64_t> before =
      std::nullopt;                       // places below this; std::nullopt: from the newest one
  bool pending = false;                   // only pending ones, and all of them
  std::size_t limit = 100;                // at most limits::kMaxPageEvents; not for `pending`
  std::size_t max_bytes = kMaxPageBytes;  // at most kMaxPageBytes; not for `pending`
};

struct InboxPage {
  std::vector<StoredInteraction> interactions;  // always in ascending order of `change`
  bool more = false;                            // others match before the first one
};

// An entry of the list of all sessions.
struct ListedSession {
  std::int64_t place = 0;  // in the list; the next page begins after the place of the last entry
  std::string id;
  std::string owner;
};

// An entry of the list of sessions with pending interactions.
struct PendingSession {
  std::string id;
  std::string owner;
};

// Stores sessions and their events, for as long as retention allows. Any thread may call; each
// callback runs once, on the scheduler that the caller names. Commits of a session are answered in
// order, reads in any order (several threads serve them). A read of one session sees all of its
// events that were passed to the store before it, flowing ones included; interaction(), inbox(),
// inbox_interaction(), sessions() and pending_sessions() see only committed ones. After close()
// calls fail with `unavailable`.
class SessionStore {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  SessionStore() = default;
  SessionStore(const SessionStore&) = delete;
  SessionStore& operator=(const SessionStore&) = delete;
  virtual ~SessionStore() = default;

  // Stores `unit` and calls `done` when it is durable: it survives kill -9 and loss of power. Units
  // of one session are stored in the order of the calls. On an error nothing of the unit is stored:
  // `data_loss` (the disk failed), `resource_exhausted` (the disk or the queue is full),
  // `failed_precondition` (its first seq does not follow because an earlier unit failed, or an
  // interaction that it changes is final), `owned_elsewhere` with the field kHomeField (another
  // node owns the session now; no later unit of it can be stored here).
  virtual void commit(UnitPtr unit, core::Scheduler& scheduler, Done<Revision> done) = 0;
  void commit(Unit unit, core::Scheduler& scheduler, Done<Revision> done) {
    commit(std::make_shared<const Unit>(std::move(unit)), scheduler, std::move(done));
  }

  // Stores flowing events without forcing a commit: they become durable with the next durable unit
  // of any session, and no later than `kFlowingDelay`. `done` and errors as commit(); without room
  // in the queue the unit is refused at once, before earlier ones are answered. After a failure the
  // later units of the session fail with `failed_precondition`.
  virtual void append_flowing(UnitPtr unit, core::Scheduler& scheduler, Done<Revision> done) = 0;

  virtual void read(ReadQuery query, core::Scheduler& scheduler, Done<EventPage> done) = 0;

  // Number of events of one type in a session; 0 for an unknown session.
  virtual void count(std::string session, std::string type, core::Scheduler& scheduler,
                     Done<std::uint64_t> done) = 0;

  // The row of a session, or `not_found`.
  virtual void session(std::string id, core::Scheduler& scheduler, Done<SessionRow> done) = 0;

  // The sessions of one owner that have events, newest event first, at most `limit`.
  virtual void sessions(std::string owner, std::size_t limit, core::Scheduler& scheduler,
                        Done<std::vector<SessionRow>> done) = 0;

  // The sessions that have pending interactions, in order of creation.
  virtual void pending_sessions(core::Scheduler& scheduler,
                                Done<std::vector<PendingSession>> done) = 0;

  // Pending interactions of one session, in order of creation.
  virtual void pending(std::string session, core::Scheduler& scheduler,
                       Done<std::vector<StoredInteraction>> done) = 0;

  // The interaction that has this key, pending or closed; std::nullopt if there is none.
  virtual void interaction(std::string session, std::string key, core::Scheduler& scheduler,
                           Done<std::optional<StoredInteraction>> done) = 0;

  // A page of an owner's inbox.
  virtual void inbox(InboxQuery query, core::Scheduler& scheduler, Done<InboxPage> done) = 0;

  // The interaction of an owner's inbox that has this key. If several sessions used the key, that
  // of the session `first` (an id) comes first, then the newest one.
  virtual void inbox_interaction(std::string owner, std::string key, std::string first,
                                 core::Scheduler& scheduler,
                                 Done<std::optional<StoredInteraction>> done) = 0;

  // A reader for one thread that may wait for the disk. It sees committed events only, not flowing
  // ones that wait, and must be destroyed before the store.
  virtual core::Result<std::unique_ptr<SessionReader>> make_reader() = 0;

  // The epoch under which this node is the home of an owner's sessions now, or kNoHome. Any thread;
  // does not wait.
  virtual HomeEpoch home_epoch(std::string_view owner) const = 0;

  // Id of this data directory's history; a new directory has a new one, so that a client with a seq
  // of another epoch learns that its place to resume from is lost.
  virtual std::string epoch() const = 0;

  // Upper bound of the flowing events of a session that watchers can have seen and that a kill of
  // the process can lose. A round number, so that a seq stays readable after the skip.
  virtual std::uint64_t max_lost_numbers() const = 0;

  // Commits the waiting units and serves the waiting reads, then stops. Blocks. Call once.
  virtual void close() = 0;
};

// The longest time that a flowing event waits for its commit.
inline constexpr core::Millis kFlowingDelay{50};

}  // namespace parley::event
