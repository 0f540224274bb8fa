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
#include "core/result.h"
#include "core/scheduler.h"
#include "event/event.h"

namespace parley::event {

class SessionReader;

// Grows with each transaction of a store, over all sessions and over restarts; units that one
// transaction stores share it. What has this revision, or a later one, has the unit.
using Revision = std::uint64_t;

// Counts the nodes that have owned the home of a session, one after another. See Unit::home_epoch.
using HomeEpoch = std::uint64_t;

// The field of the error that another node owns a session.
inline constexpr std::string_view kHomeField = "home";
// Why a unit is refused that carries another epoch than the one that stands.
inline core::Error owned_elsewhere() {
  return {core::Code::owned_elsewhere, "Another node owns this session.", std::string(kHomeField)};
}

// What the store keeps of a session beside its events.
struct SessionRow {
  std::string id;
  std::string dialect;  // "assistant", "external-agent", "loom", "chat"
  std::string owner;    // id of the token that it belongs to; nothing of it crosses to another
  std::string title;
  core::WallTime created_at;
  std::uint64_t last_seq = 0;   // 0: no event yet
  std::uint64_t first_seq = 1;  // the oldest event still kept; older ones fell to retention
};

// The row of an interaction beside its two events; derive_row() derives it from them.
// The request is the payload of the event `opened_seq`, the outcome that of the event `closed_seq`:
// nothing is stored twice.
struct InteractionRow {
  std::string session;
  std::string key;  // the asker's own id; unique in its session
  std::string id;   // ours
  std::string kind;
  std::string state;        // "pending", "answered", "cancelled", "expired"
  std::string fingerprint;  // of the request: tells a repeated call from another one
  core::WallTime opened_at;
  core::WallTime deadline;
  std::uint64_t opened_seq = 0;
  std::uint64_t closed_seq = 0;  // 0 while pending
};

// An interaction as it is read back: the row and the payloads of its two events.
struct StoredInteraction {
  InteractionRow row;
  std::string opened_payload;
  std::string closed_payload;  // empty while pending
};

// The change of an interaction by an event of a unit: an `interaction.opened` opens it, an
// `interaction.closed` closes it. Typed, so that the store reads no payload to derive the row, and
// so that an event of such a type that a client names (a record of a study) makes no row.
struct InteractionChange {
  std::size_t event = 0;  // the place of the event in its unit
  std::string key;
  std::string id;
  // The end, of a closing event: "answered", "cancelled" or "expired".
  std::string state;
  // The request, of an opening event.
  std::string kind;
  std::string fingerprint;
  core::WallTime deadline;
};

// Takes the history of a session away, from its low end. The row of the session stays, and with it
// whose it is; numbering goes on.
struct HistoryDrop {
  std::string session;
  std::uint64_t before = 0;  // events with a seq below it go, with their closed interactions
};

// One atomic unit: all of it is stored, or nothing. Events are of one session, in order of seq,
// and the first follows the last one committed for that session; a first one of type
// kNumbersSkipped may have any later seq.
struct Unit {
  std::optional<SessionRow> session;  // insert, or change of title; last_seq is kept by the store
  std::vector<Event> events;
  std::vector<InteractionChange> changes;  // of the interactions that `events` open and close
  // SessionStore::home_epoch() of when its session was taken into memory, before the session was
  // read. The unit is stored only while this node owns the session under this epoch.
  HomeEpoch home_epoch = 0;
  // Stands alone in its unit. Errors of commit() then: `not_found` (there is no such session),
  // `failed_precondition` (something that would go is pending).
  std::optional<HistoryDrop> drop = std::nullopt;
};

// Events that one HistoryDrop should take at most: other sessions' commits wait for it.
inline constexpr std::uint64_t kMaxDroppedEvents = 1'024;

// A unit that the store and those who show its events hold together; nobody copies it.
using UnitPtr = std::shared_ptr<const Unit>;

// A page of events ends early, with `more`, when its payloads have passed this many bytes.
inline constexpr std::size_t kMaxPageBytes = 16U << 20U;

struct ReadQuery {
  std::string session;
  std::uint64_t after = 0;                // events with seq > after, ascending ...
  std::optional<std::uint64_t> before;    // ... or, if set, those with seq < before, nearest first
  std::size_t limit = 100;                // at most limits::kMaxPageEvents
  std::size_t max_bytes = kMaxPageBytes;  // at most kMaxPageBytes
  std::vector<std::string> types;         // empty: all
};

struct EventPage {
  std::vector<Event> events;    // ascending by seq in either direction
  std::uint64_t first_seq = 1;  // of the session: `after` + 1 below it means that history is gone
  std::uint64_t last_seq = 0;   // of the session
  bool more = false;  // the same query has more, beyond the last (or, `before`: first) one
};

// A page of the list of all sessions.
struct ListedSession {
  std::int64_t place = 0;  // in the list; the next page begins after the last one's
  std::string id;
};

// Keeps events for ever, or as long as retention says. All calls may come from any thread; each
// callback runs once, on the scheduler that the caller names. Commits are answered in their order;
// reads, which have more than one thread, in any order.
// Every read but interaction(), which tells of durable events alone, sees each event that was given
// to the store before it, flowing ones included. After close() calls fail with `unavailable`.
class SessionStore {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  SessionStore() = default;
  SessionStore(const SessionStore&) = delete;
  SessionStore& operator=(const SessionStore&) = delete;
  virtual ~SessionStore() = default;

  // Stores `unit` and calls `done` when it is durable: it survives kill -9 and loss of power.
  // Units of one session are stored in the order of the calls. Errors: `data_loss` or
  // `resource_exhausted` (the disk failed or is full: nothing of the unit is stored),
  // `failed_precondition` (its first seq does not follow, because an earlier unit failed),
  // `owned_elsewhere` with the field kHomeField (another node owns the session by now: nothing of
  // it may be stored here any more).
  virtual void commit(UnitPtr unit, core::Scheduler& scheduler, Done<Revision> done) = 0;
  void commit(Unit unit, core::Scheduler& scheduler, Done<Revision> done) {
    commit(std::make_shared<const Unit>(std::move(unit)), scheduler, std::move(done));
  }

  // Stores flowing events without forcing a commit: they become durable with the next durable
  // unit of any session, and no later than `kFlowingDelay`. `done` and errors as commit(); a unit
  // that finds no room in the queue is refused at once, before earlier ones are answered. After a
  // failure the session's units that were given after it fail with `failed_precondition`.
  virtual void append_flowing(UnitPtr unit, core::Scheduler& scheduler, Done<Revision> done) = 0;

  virtual void read(ReadQuery query, core::Scheduler& scheduler, Done<EventPage> done) = 0;

  // How many events of a type a session has; none of a session that is not there.
  virtual void count(std::string session, std::string type, core::Scheduler& scheduler,
                     Done<std::uint64_t> done) = 0;

  // The row of a session, or `not_found`.
  virtual void session(std::string id, core::Scheduler& scheduler, Done<SessionRow> done) = 0;

  // The sessions of one owner that have events, newest event first, at most `limit`.
  virtual void sessions(std::string owner, std::size_t limit, core::Scheduler& scheduler,
                        Done<std::vector<SessionRow>> done) = 0;

  // Pending interactions of one session, or of all if `session` is empty, in order of creation.
  virtual void pending(std::string session, core::Scheduler& scheduler,
                       Done<std::vector<StoredInteraction>> done) = 0;

  // The interaction that has this key, pending or closed; std::nullopt if there is none.
  virtual void interaction(std::string session, std::string key, core::Scheduler& scheduler,
                           Done<std::optional<StoredInteraction>> done) = 0;

  // A reader of its own for one thread that may wait for the disk. It sees what is committed, not
  // flowing events that wait, and must be gone before the store is.
  virtual core::Result<std::unique_ptr<SessionReader>> make_reader() = 0;

  // The epoch under which this node owns the home of a session now. Any thread; does not wait.
  virtual HomeEpoch home_epoch(std::string_view session) const = 0;

  // Names this data directory's history. Changes when history begins anew, so that a client that
  // holds a seq of another epoch is told that its place is gone.
  virtual std::string epoch() const = 0;

  // More than the flowing events of a session that can have been seen and are not stored when the
  // process is killed. A round number: to skip so many leaves the end of a seq readable.
  virtual std::uint64_t max_lost_numbers() const = 0;

  // Commits what is waiting, then stops. Blocks. Call once.
  virtual void close() = 0;
};

// The longest time that a flowing event waits for its commit.
inline constexpr core::Millis kFlowingDelay{50};

}  // namespace parley::event
