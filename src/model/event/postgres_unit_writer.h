// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/core/result.h"
#include "base/core/string_map.h"
#include "base/sql/database.h"
#include "model/event/session_store.h"
#include "model/event/staged_group.h"
#include "model/event/unit_writer.h"

namespace parley::event {

// Limit (PostgreSQL): time that waiting commits have when the server stops while the database is
// away. Reached: they fail with `unavailable`.
inline constexpr std::chrono::seconds kLastPatience{5};

// Writes units to PostgreSQL on one connection.
//
// While the database is away, write() waits for it. A commit whose connection broke may have been
// done: the writer's registration, a row that each of its transactions checks, ends before its next
// connection is used. From then on no earlier transaction can be committed, and what is stored
// tells what was: events with these numbers are of this node, the only owner of the session.
class PostgresUnitWriter final : public UnitWriter {
 public:
  // `commits`: of all writers of the store, which it outlives. Errors: those of Database.
  static core::Result<std::unique_ptr<PostgresUnitWriter>> make(
      sql::Database database, std::size_t max_cached_sessions, HomeEpoch own_epoch,
      std::atomic<std::uint64_t>& commits);

  void write(std::span<const Unit* const> units,
             std::vector<core::Result<Revision>>& results) override;
  core::Result<void> probe() override;
  core::Result<void> check() override;
  bool needs_checks() const override { return true; }
  core::Result<RetentionSweep::Slice> sweep(RetentionSweep& retention) override;
  void finish() override;
  void watch_waits(std::function<void(const core::Error&)> waits) override;
  void give_up() override;

 private:
  // A session: its row, or the number that its row will have.
  struct Place {
    std::int64_t number = 0;
    bool is_stored = false;
    std::uint64_t last_seq = 0;
    std::int64_t active_at = 0;  // as stored in the row; see kActiveStepMs
    std::string owner;
    std::string dialect;
  };
  // A call of write(), and indices of its units.
  struct Group {
    std::span<const Unit* const> units;
    std::vector<core::Result<Revision>>& results;
  };
  using Indices = std::vector<std::size_t>;

  PostgresUnitWriter(sql::Database database, std::size_t max_cached_sessions, HomeEpoch own_epoch,
                     std::atomic<std::uint64_t>& commits);
  core::Result<void> prepare();
  core::Result<void> register_writer();
  void write_batch(Group& group, Indices batch);
  core::Result<void> try_batch(Group& group, Indices& batch, bool& is_sent);
  core::Result<void> load_places(const Group& group, const Indices& batch);
  void accept_stored(Group& group, Indices& batch);
  void stage_all(Group& group, Indices& batch);
  core::Result<void> stage(const Unit& unit);
  core::Result<void> stage_session(Place& place, const SessionRow& row);
  void stage_events(Place& place, const std::vector<Event>& events);
  Place* find(const std::string& session);
  core::Result<Revision> write_drop(const Unit& unit);
  core::Result<void> drop_once(const HistoryDrop& drop);
  Revision next_revision();
  // Waits until the database can be used again, and registers the writer anew. False: given up.
  bool wait_for_database(core::Error error);
  bool pause(std::chrono::milliseconds delay);

  sql::Database database_;
  const std::size_t max_cached_sessions_;
  const HomeEpoch own_epoch_;
  std::atomic<std::uint64_t>& commits_;
  std::int64_t writer_ = 0;  // the id of its registration
  core::StringMap<Place> places_;
  StagedGroup staged_;
  sql::Statement find_places_;
  std::function<void(const core::Error&)> waits_;

  std::mutex mutex_;
  std::condition_variable given_up_;
  std::optional<std::chrono::steady_clock::time_point> give_up_at_;
};

}  // namespace parley::event
