// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/sql/database.h"
#include "model/event/interaction_row.h"
#include "model/event/schema.h"
#include "model/event/session_store.h"
#include "model/event/sqlite_session_store.h"
#include "tests/support/core/fake_scheduler.h"

// Shared helpers of the tests of stores. Include only in tests.
namespace parley::event {

inline SessionRow session_row(std::string id, std::string owner = "owner") {
  SessionRow row;
  row.id = std::move(id);
  row.dialect = "assistant";
  row.owner = std::move(owner);
  row.title = "A session";
  row.created_at = core::from_unix_ms(1'700'000'000'000);
  return row;
}

inline Event event_of(std::string session, std::uint64_t seq, std::string payload = "{}") {
  Event event;
  event.session = std::move(session);
  event.seq = seq;
  event.at = core::from_unix_ms(1'700'000'000'000 + static_cast<std::int64_t>(seq));
  event.direction = "in";
  event.type = "message";
  event.payload = std::move(payload);
  return event;
}

// A unit of one event; with the session's row if `seq` is 1.
inline Unit unit_of(const std::string& session, std::uint64_t seq, std::string payload = "{}") {
  Unit unit;
  if (seq == 1) unit.session = session_row(session);
  unit.events.push_back(event_of(session, seq, std::move(payload)));
  return unit;
}

// Migrates a file to a version of events.db.
inline core::Result<void> migrate_to(sql::Database& database, core::Entropy& entropy, int version) {
  return sql::migrate(database, schema(version),
                      [&](sql::Database& fresh) { return make_epoch(fresh, entropy); });
}
inline core::Result<void> migrate(sql::Database& database, core::Entropy& entropy) {
  return migrate_to(database, entropy, kSchemaVersion);
}

// Makes the store of an older version in a data directory.
inline void make_old_store(const std::string& data_dir, int version) {
  core::Result<sql::Database> database =
      sql::Database::open(store_path(data_dir), sql::OpenMode::create);
  ASSERT_TRUE(database) << database.error().message;
  core::SeededEntropy entropy(1);
  ASSERT_TRUE(migrate_to(*database, entropy, version));
}

// A unit that opens an interaction.
inline Unit asking_unit(const std::string& session, const std::string& key, std::uint64_t seq,
                        std::string payload = "{}") {
  Unit unit = unit_of(session, seq, std::move(payload));
  unit.events[0].type = kInteractionOpened;
  InteractionChange change;
  change.key = key;
  change.id = "id-" + key;
  change.kind = "question";
  change.fingerprint = "f";
  change.deadline = core::from_unix_ms(1'700'000'600'000);
  unit.changes.push_back(std::move(change));
  return unit;
}

// A unit that closes an interaction.
inline Unit ending_unit(const std::string& session, const std::string& key, std::uint64_t seq,
                        std::string state, std::string payload = "{}") {
  Unit unit = unit_of(session, seq, std::move(payload));
  unit.events[0].type = kInteractionClosed;
  InteractionChange change;
  change.key = key;
  change.id = "id-" + key;
  change.state = std::move(state);
  unit.changes.push_back(std::move(change));
  return unit;
}

// Calls a store and waits, at most 30 s, for the posted answer. The destructor waits for the
// answers to append_flowing(), which the store posts to this object.
class StoreCaller {
 public:
  explicit StoreCaller(SessionStore& store) : store_(store), scheduler_(clock_) {}
  ~StoreCaller() {
    EXPECT_TRUE(run_until([this] { return flowing_answers_.size() == flowing_; }));
  }
  StoreCaller(const StoreCaller&) = delete;
  StoreCaller& operator=(const StoreCaller&) = delete;

  // A unit without a home epoch gets the current one.
  core::Result<Revision> commit(Unit unit) {
    fill_epoch(unit);
    return wait<Revision>(
        [&](auto done) { store_.commit(std::move(unit), scheduler_, std::move(done)); });
  }
  // Does not wait; the answer is added to flowing_answers().
  void append_flowing(Unit unit) {
    ++flowing_;
    fill_epoch(unit);
    store_.append_flowing(
        std::make_shared<const Unit>(std::move(unit)), scheduler_,
        [this](core::Result<Revision> done) { flowing_answers_.push_back(std::move(done)); });
  }
  const std::vector<core::Result<Revision>>& flowing_answers() const { return flowing_answers_; }
  core::Result<EventPage> read(ReadQuery query) {
    return wait<EventPage>([&](auto done) { store_.read(query, scheduler_, std::move(done)); });
  }
  core::Result<std::uint64_t> count(const std::string& session, const std::string& type) {
    return wait<std::uint64_t>(
        [&](auto done) { store_.count(session, type, scheduler_, std::move(done)); });
  }
  core::Result<SessionRow> session(const std::string& id) {
    return wait<SessionRow>([&](auto done) { store_.session(id, scheduler_, std::move(done)); });
  }
  core::Result<std::vector<SessionRow>> sessions(const std::string& owner, std::size_t limit) {
    return wait<std::vector<SessionRow>>(
        [&](auto done) { store_.sessions(owner, limit, scheduler_, std::move(done)); });
  }
  core::Result<std::vector<PendingSession>> pending_sessions() {
    return wait<std::vector<PendingSession>>(
        [&](auto done) { store_.pending_sessions(scheduler_, std::move(done)); });
  }
  core::Result<std::vector<StoredInteraction>> pending(const std::string& session) {
    return wait<std::vector<StoredInteraction>>(
        [&](auto done) { store_.pending(session, scheduler_, std::move(done)); });
  }
  core::Result<std::optional<StoredInteraction>> interaction(const std::string& session,
                                                             const std::string& key) {
    return wait<std::optional<StoredInteraction>>(
        [&](auto done) { store_.interaction(session, key, scheduler_, std::move(done)); });
  }
  core::Result<InboxPage> inbox(InboxQuery query) {
    return wait<InboxPage>([&](auto done) { store_.inbox(query, scheduler_, std::move(done)); });
  }
  core::Result<std::optional<StoredInteraction>> inbox_interaction(const std::string& owner,
                                                                   const std::string& key,
                                                                   const std::string& first) {
    return wait<std::optional<StoredInteraction>>([&](auto done) {
      store_.inbox_interaction(owner, key, first, scheduler_, std::move(done));
    });
  }
  // Runs posted tasks until `done()` returns true; false after 30 s.
  template <typename Done>
  bool run_until(Done done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!done()) {
      if (std::chrono::steady_clock::now() > end) return false;
      if (scheduler_.run_ready() == 0) std::this_thread::yield();
    }
    return true;
  }
  core::FakeScheduler& scheduler() { return scheduler_; }

 private:
  void fill_epoch(Unit& unit) const {
    if (unit.home_epoch == 0) unit.home_epoch = store_.home_epoch("");
  }

  template <typename T, typename Start>
  core::Result<T> wait(Start start) {
    std::optional<core::Result<T>> answer;
    start(SessionStore::Done<T>([&answer](core::Result<T> result) { answer = std::move(result); }));
    if (!run_until([&answer] { return answer.has_value(); })) {
      ADD_FAILURE() << "the store did not answer";
      return core::fail(core::Code::deadline_exceeded, "The store did not answer.");
    }
    return std::move(*answer);
  }

  SessionStore& store_;
  core::FakeClock clock_;
  core::FakeScheduler scheduler_;
  std::size_t flowing_ = 0;
  std::vector<core::Result<Revision>> flowing_answers_;
};

inline std::vector<std::uint64_t> seqs_of(const EventPage& page) {
  std::vector<std::uint64_t> seqs;
  for (const Event& event : page.events) seqs.push_back(event.seq);
  return seqs;
}

}  // namespace parley::event
