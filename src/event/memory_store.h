// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "event/event_store.h"

namespace parley::event {

// An EventStore without a disk, for tests: what is committed stays as long as the object lives, so
// a "restart" is a new hub on the same store. Commits succeed until fail_next() says otherwise.
class MemoryStore final : public EventStore {
 public:
  using EventStore::append_flowing;
  using EventStore::commit;
  void commit(UnitPtr unit, core::Scheduler& scheduler, Done<void> done) override;
  void append_flowing(UnitPtr unit) override;
  void read(ReadQuery query, core::Scheduler& scheduler, Done<EventPage> done) override;
  void count(std::string session, std::string type, core::Scheduler& scheduler,
             Done<std::uint64_t> done) override;
  void session(std::string id, core::Scheduler& scheduler, Done<SessionRow> done) override;
  void sessions(std::string owner, std::size_t limit, core::Scheduler& scheduler,
                Done<std::vector<SessionRow>> done) override;
  void pending(std::string session, core::Scheduler& scheduler,
               Done<std::vector<StoredInteraction>> done) override;
  void interaction(std::string session, std::string key, core::Scheduler& scheduler,
                   Done<std::optional<StoredInteraction>> done) override;
  std::string epoch() const override { return "memory"; }
  std::uint64_t max_lost_numbers() const override { return 1'000'000; }
  void close() override {}

  // From now on flowing units wait for the next commit, as a real store's wait for their group.
  void hold_flowing();
  // What is held is gone, as with a process that is killed.
  void lose_held();
  // The next `count` commits fail with `error`, storing nothing.
  void fail_next(int count, core::Error error);
  std::vector<Event> events(const std::string& session) const;
  std::size_t commits() const;

 private:
  struct Kept {
    SessionRow row;
    std::vector<Event> events;
    std::map<std::string, InteractionRow> interactions;
  };

  core::Result<void> store(const Unit& unit);
  core::Result<void> drop(const HistoryDrop& drop);
  StoredInteraction stored(const Kept& kept, const InteractionRow& row) const;

  mutable std::mutex mutex_;
  std::map<std::string, Kept> sessions_;
  std::vector<std::pair<std::string, std::string>> order_;  // interactions by creation
  std::size_t commits_ = 0;
  bool holding_ = false;
  std::vector<UnitPtr> held_;
  int failures_ = 0;
  core::Error failure_;
};

}  // namespace parley::event
