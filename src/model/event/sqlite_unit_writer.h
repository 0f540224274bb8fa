// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/core/result.h"
#include "base/sql/checkpointer.h"
#include "base/sql/database.h"
#include "model/event/event.h"
#include "model/event/interaction_row.h"
#include "model/event/session_store.h"
#include "model/event/unit_writer.h"

namespace parley::event {

// Appends decisions (decision.h) to the chains of their workspaces, within the transaction that
// stores their events. One connection, one thread.
class DecisionChain {
 public:
  core::Result<void> prepare(sql::Database& database);
  // Adds the end of an interaction. `session`: the number of its row, which must exist.
  core::Result<void> add(std::int64_t session, const Event& closed);
  // Must be called after a transaction that was rolled back.
  void forget() { heads_.clear(); }

 private:
  struct Head {
    std::uint64_t number = 0;
    std::string hash;
  };

  core::Result<Head*> find_head(const std::string& workspace);

  absl::flat_hash_map<std::string, Head> heads_;
  sql::Statement find_workspace_;
  sql::Statement find_head_;
  sql::Statement insert_;
};

// When the pages of the write-ahead log move into the file.
struct CheckpointPolicy {
  sql::Checkpointer* checkpointer = nullptr;  // null: never
  int pages = 0;          // added to the log that trigger a checkpoint of the checkpointer
  int restart_pages = 0;  // in the log from which the writer itself makes the checkpoint, so that
                          // the log restarts even under constant load
};

// Writes units to an SQLite file on one connection. A unit that fails after its first change makes
// each unit of the group a transaction of its own.
class SqliteUnitWriter final : public UnitWriter {
 public:
  // `max_cached_sessions`: sessions whose last seq is cached between groups. `own_epoch`: the
  // result of take_home(); 0 if it was never called on the file.
  static core::Result<std::unique_ptr<SqliteUnitWriter>> make(sql::Database database,
                                                              std::size_t max_cached_sessions,
                                                              HomeEpoch own_epoch = 0);
  ~SqliteUnitWriter() override;

  // `policy.checkpointer` outlives the writer.
  void set_checkpoints(const CheckpointPolicy& policy) { policy_ = policy; }

  void write(std::span<const Unit* const> units,
             std::vector<core::Result<Revision>>& results) override;
  core::Result<void> probe() override;
  void after_group() override;
  core::Result<RetentionSweep::Slice> sweep(RetentionSweep& retention) override;
  void finish() override;
  int log_pages() const override { return log_pages_; }

  // Moves pages from the log to the database file, as many as possible without waiting for readers.
  core::Result<void> checkpoint();

 private:
  struct Place {
    std::int64_t number = 0;
    std::uint64_t last_seq = 0;
    std::int64_t active_at = 0;  // as stored in the row; see kActiveStepMs
  };

  SqliteUnitWriter(sql::Database database, std::size_t max_cached_sessions, HomeEpoch own_epoch);
  core::Result<void> prepare();
  bool write_group(std::span<const Unit* const> units,
                   std::vector<core::Result<Revision>>& results);
  core::Result<void> begin();
  core::Result<Revision> commit();
  core::Result<Revision> write_alone(const Unit& unit);
  core::Result<void> write_unit(const Unit& unit);
  core::Result<void> write_drop(const HistoryDrop& drop);
  core::Result<Place*> find_place(const std::string& session);
  core::Result<Place*> put_session(const SessionRow& row, Place* place);
  core::Result<void> change_interaction(std::int64_t session, const DerivedRow& row);
  core::Result<void> insert_events(Place& place, const std::vector<Event>& events);
  core::Result<void> note_activity(Place& place, std::int64_t at);
  void roll_back();

  sql::Database database_;
  std::size_t max_cached_sessions_;
  CheckpointPolicy policy_;
  int log_pages_ = 0;
  int checkpointed_at_ = 0;  // pages in the log at the last request for a checkpoint
  bool touched_ = false;     // the unit being written has changed something
  HomeEpoch own_epoch_;
  HomeEpoch standing_epoch_ = 0;  // the file's epoch, read in the open transaction
  std::uint64_t commits_ = 0;
  std::thread::id thread_;  // the thread of the first write()
  absl::flat_hash_map<std::string, Place> places_;
  DecisionChain decisions_;
  sql::Statement begin_;
  sql::Statement commit_;
  sql::Statement find_epoch_;
  sql::Statement find_session_;
  sql::Statement insert_session_;
  sql::Statement update_session_;
  sql::Statement insert_event_;
  sql::Statement note_activity_;
  sql::Statement open_interaction_;
  sql::Statement close_interaction_;
};

}  // namespace parley::event
