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
#include "model/placement/home_map.h"

namespace parley::event {

// Limit (PostgreSQL): time that waiting commits have when the server stops while the database is
// away. Reached: they fail with `unavailable`.
inline constexpr std::chrono::seconds kLastPatience{5};

// Writes units to PostgreSQL on one connection.
//
// While the database is away, write() waits for it. A commit whose connection broke may have been
// done: the writer's registration, a row that each of its transactions checks, ends before its next
// connection is used. From then on no earlier transaction can be committed, and what is stored
// tells what was, as long as the session's home stands: events with these numbers are of this node.
class PostgresUnitWriter final : public UnitWriter {
 public:
  // The state that the writers of a store share.
  struct Shared {
    explicit Shared(const placement::HomeMap& of_node, bool alone = true)
        : homes(of_node), is_alone(alone) {}

    const placement::HomeMap& homes;
    const bool is_alone;  // no node of a cluster: a home that is lost never comes back
    std::atomic<std::uint64_t> commits{0};
  };
  // `shared` outlives the writer. Errors: those of Database.
  static core::Result<std::unique_ptr<PostgresUnitWriter>> make(sql::Database database,
                                                                std::size_t max_cached_sessions,
                                                                Shared& shared);

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
  // A session: its row, or the number that its row will have, as read under an epoch of its home.
  struct Place {
    HomeEpoch epoch = 0;
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

  PostgresUnitWriter(sql::Database database, std::size_t max_cached_sessions, Shared& shared);
  core::Result<void> prepare();
  core::Result<void> register_writer();
  void write_batch(Group& group, Indices batch);
  core::Result<void> try_batch(Group& group, Indices& batch, bool& is_sent);
  core::Result<void> load_places(const Group& group, const Indices& batch);
  void accept_stored(Group& group, Indices& batch);
  // Answers the units whose homes stand no more, which leave the batch.
  core::Result<void> drop_lost(Group& group, Indices& batch);
  // After a try that failed. False: the rest of the batch fails with this error.
  bool tries_again(Group& group, Indices& batch, core::Error& error);
  void stage_all(Group& group, Indices& batch);
  core::Result<void> stage(const Unit& unit);
  core::Result<void> stage_session(Place& place, const SessionRow& row);
  void stage_events(Place& place, const std::vector<Event>& events);
  Place* find(std::string_view session);
  core::Result<Revision> write_drop(const Unit& unit);
  core::Result<void> drop_once(const Unit& unit);
  // The home of an owner's sessions, if it is this node under this epoch. Error: `owned_elsewhere`.
  core::Result<placement::TakenSlot> home_of(std::string_view owner, HomeEpoch epoch) const;
  // The owner of a unit's session; empty: there is no such session.
  std::string_view owner_of(const Unit& unit);
  Revision next_revision(const Unit& unit);
  // Waits until the database can be used again, and registers the writer anew. False: given up.
  bool wait_for_database(core::Error error);
  bool pause(std::chrono::milliseconds delay);

  sql::Database database_;
  const std::size_t max_cached_sessions_;
  Shared& shared_;
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
