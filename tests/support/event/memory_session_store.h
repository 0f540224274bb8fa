// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/event/session_reader.h"

namespace parley::event {

// A SessionStore in memory, for tests. Committed data lives as long as the object: a "restart" is a
// new hub on the same store. Commits succeed unless fail_next() was called, and at once unless
// step_by_step() was called.
class MemorySessionStore final : public SessionStore {
 public:
  using SessionStore::commit;
  void commit(UnitPtr unit, core::Scheduler& scheduler, Done<Revision> done) override;
  void append_flowing(UnitPtr unit, core::Scheduler& scheduler, Done<Revision> done) override;
  void read(ReadQuery query, core::Scheduler& scheduler, Done<EventPage> done) override;
  void count(std::string session, std::string type, core::Scheduler& scheduler,
             Done<std::uint64_t> done) override;
  void session(std::string id, core::Scheduler& scheduler, Done<SessionRow> done) override;
  void sessions(std::string owner, std::size_t limit, core::Scheduler& scheduler,
                Done<std::vector<SessionRow>> done) override;
  void pending_sessions(core::Scheduler& scheduler,
                        Done<std::vector<PendingSession>> done) override;
  void pending(std::string session, core::Scheduler& scheduler,
               Done<std::vector<StoredInteraction>> done) override;
  void interaction(std::string session, std::string key, core::Scheduler& scheduler,
                   Done<std::optional<StoredInteraction>> done) override;
  void inbox(InboxQuery query, core::Scheduler& scheduler, Done<InboxPage> done) override;
  void inbox_interaction(std::string owner, std::string key, std::string first,
                         core::Scheduler& scheduler,
                         Done<std::optional<StoredInteraction>> done) override;
  core::Result<std::unique_ptr<SessionReader>> make_reader() override;
  HomeEpoch home_epoch(std::string_view owner) const override;
  std::string epoch() const override { return "memory"; }
  std::uint64_t max_lost_numbers() const override { return 1'000'000; }
  void close() override {}

  // From now on flowing units wait for the next commit or read, as in a real store for their group.
  void hold_flowing();
  // Fails all waiting flowing units with `data_loss`.
  void lose_held();
  // From now on calls are queued until proceed().
  void step_by_step();
  // Runs the first `count` queued calls, or all if there are fewer.
  void proceed(std::size_t count);
  // Runs the newest queued call first, as if one of two read threads were faster.
  void proceed_with_newest();
  // Drops queued calls and waiting flowing units without an answer, as kill -9 does.
  void forget_waiting();
  // The next `count` units fail with `error`; nothing of them is stored.
  void fail_next(int count, core::Error error);
  // The next `count` flowing units fail with `resource_exhausted`, as in a full queue.
  void refuse_flowing(int count);
  // The next `count` calls of session() and interaction(), and of session() of readers, fail with
  // this code.
  void fail_reads(int count, core::Code code = core::Code::data_loss);
  // The next `count` calls of read() fail with `data_loss`.
  void fail_pages(int count);
  // Raises the home epoch, as if another node had taken all sessions: units of earlier epochs are
  // refused. Sessions that are loaded afterwards have the new epoch.
  void take_over();
  // From now on the home epoch is that of each owner's slot: units of another are refused.
  void set_fence(std::function<HomeEpoch(std::string_view owner)> epoch_of) {
    fence_ = std::move(epoch_of);
  }
  // Ends the effects of fail_next(), refuse_flowing(), fail_reads() and fail_pages().
  void heal();
  // Replaces the payload of a stored event, as an older server may have written it.
  void rewrite(const std::string& session, std::uint64_t seq,
               const std::function<std::string(std::string)>& change);
  std::vector<Event> events(const std::string& session) const;
  // A stored event; std::nullopt if there is none with this seq.
  std::optional<Event> event(const std::string& session, std::uint64_t seq) const;
  std::size_t commits() const;
  std::size_t reads() const;  // calls of read()

 private:
  class Reader;

  struct Kept {
    SessionRow row;
    std::vector<Event> events;
    std::map<std::string, InteractionRow> interactions;
  };

  struct Held {
    UnitPtr unit;
    core::Scheduler* scheduler;
    Done<Revision> done;
  };

  void run(absl::AnyInvocable<void()> call);
  void store_held();
  bool read_fails();
  core::Result<Revision> store(const Unit& unit);
  core::Result<void> apply(const Unit& unit);
  core::Result<void> drop(const HistoryDrop& drop);
  static core::Result<void> check_changes(const Kept* kept, const Unit& unit);
  void apply_changes(Kept& kept, const Unit& unit);
  // Reads. Called with mutex_ held.
  EventPage page_of(const ReadQuery& query) const;
  std::uint64_t count_of(const std::string& session, const std::string& type) const;
  core::Result<SessionRow> session_of(const std::string& id) const;
  std::vector<SessionRow> sessions_of(const std::string& owner, std::size_t limit) const;
  std::vector<ListedSession> listed(std::int64_t after, std::size_t limit) const;
  std::vector<PendingSession> sessions_with_pending() const;
  std::vector<StoredInteraction> pending_of(const std::string& session) const;
  std::optional<StoredInteraction> interaction_of(const std::string& session,
                                                  const std::string& key) const;
  InboxPage inbox_of(const InboxQuery& query) const;
  std::optional<StoredInteraction> inbox_interaction_of(const std::string& owner,
                                                        const std::string& key,
                                                        const std::string& first) const;
  std::uint64_t next_change(const std::string& owner) const;
  StoredInteraction stored(const Kept& kept, const InteractionRow& row) const;

  mutable std::mutex mutex_;
  std::map<std::string, Kept> sessions_;
  std::vector<std::string> made_;                           // ids of sessions by creation
  std::vector<std::pair<std::string, std::string>> order_;  // interactions by creation
  HomeEpoch home_epoch_ = 1;
  std::function<HomeEpoch(std::string_view owner)> fence_;
  std::size_t commits_ = 0;
  Revision revision_ = 0;
  std::size_t reads_ = 0;
  bool holding_ = false;
  std::vector<Held> held_;
  bool by_step_ = false;
  std::deque<absl::AnyInvocable<void()>> waiting_;
  int failures_ = 0;
  int refusals_ = 0;
  int read_failures_ = 0;
  core::Error read_error_{core::Code::data_loss, "The disk failed."};
  int page_failures_ = 0;
  core::Error failure_;
};

}  // namespace parley::event
