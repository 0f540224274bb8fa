// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/placement/membership.h"
#include "model/session/hub.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/memory_session_store.h"
#include "tests/support/placement/memory_home_store.h"

// For tests only.
namespace parley::session {

// The connection of a node to the store that all nodes share. Its calls wait, in order, until
// proceed(): a commit may be on its way when its node is stopped or killed.
class NodeStore final : public event::SessionStore {
 public:
  NodeStore(event::MemorySessionStore& shared, const std::unique_ptr<placement::HomeMap>& map)
      : shared_(shared), map_(map) {}

  void commit(event::UnitPtr unit, core::Scheduler& scheduler, Done<event::Revision> done) override;
  void append_flowing(event::UnitPtr unit, core::Scheduler& scheduler,
                      Done<event::Revision> done) override;
  void read(event::ReadQuery query, core::Scheduler& scheduler,
            Done<event::EventPage> done) override;
  void count(std::string session, std::string type, core::Scheduler& scheduler,
             Done<std::uint64_t> done) override;
  void session(std::string id, core::Scheduler& scheduler, Done<event::SessionRow> done) override;
  void sessions(std::string owner, std::size_t limit, core::Scheduler& scheduler,
                Done<std::vector<event::SessionRow>> done) override;
  void pending_sessions(core::Scheduler& scheduler,
                        Done<std::vector<event::PendingSession>> done) override;
  void pending(std::string session, core::Scheduler& scheduler,
               Done<std::vector<event::StoredInteraction>> done) override;
  void interaction(std::string session, std::string key, core::Scheduler& scheduler,
                   Done<std::optional<event::StoredInteraction>> done) override;
  void inbox(event::InboxQuery query, core::Scheduler& scheduler,
             Done<event::InboxPage> done) override;
  void inbox_interaction(std::string owner, std::string key, std::string first,
                         core::Scheduler& scheduler,
                         Done<std::optional<event::StoredInteraction>> done) override;
  core::Result<std::unique_ptr<event::SessionReader>> make_reader() override {
    return shared_.make_reader();
  }
  event::HomeEpoch home_epoch(std::string_view owner) const override;
  std::string epoch() const override { return shared_.epoch(); }
  std::uint64_t max_lost_numbers() const override { return shared_.max_lost_numbers(); }
  void close() override {}

  // Does the first `count` calls, or all if there are fewer.
  void proceed(std::size_t count);
  // The calls that wait are never done.
  void forget() { waiting_.clear(); }
  bool is_idle() const { return waiting_.empty(); }

 private:
  event::MemorySessionStore& shared_;
  const std::unique_ptr<placement::HomeMap>& map_;
  std::deque<absl::AnyInvocable<void()>> waiting_;
};

// One node of a simulated cluster: its memory, its clock, and its part in the cluster.
class SimulatedNode final : public placement::HomeUser {
 public:
  // `rate`: of its clock, in hundredths of the true one.
  SimulatedNode(std::string name, int rate, event::MemorySessionStore& store,
                placement::MemoryHomes& homes, core::Entropy& entropy);
  ~SimulatedNode() override;

  void start();
  // As kill -9; of the calls of its store, `done` are still done.
  void kill(std::size_t done);
  // As SIGSTOP and SIGCONT.
  void set_stopped(bool stopped) { is_stopped_ = stopped; }
  // Calls of the database do not reach it, or are not answered, until reconnect().
  void disconnect(placement::MemoryHomeStore::Fault fault);
  void reconnect() { disconnect(placement::MemoryHomeStore::Fault::none); }
  void drain();

  // Lets true time pass.
  void advance(core::Millis by);
  // Does what is due, and up to `calls` calls of the store.
  void work(std::size_t calls);
  // Only calls that are on their way.
  void let_calls_arrive(std::size_t calls);

  const std::string& name() const { return name_; }
  int life() const { return life_; }
  bool is_dead() const { return hub_ == nullptr; }
  bool is_stopped() const { return is_stopped_; }
  bool is_at_rest() const { return store_.is_idle(); }
  Hub& hub() { return *hub_; }
  core::FakeScheduler& scheduler() { return scheduler_; }
  placement::NodeId id() const { return is_dead() ? placement::kNobody : membership_->id(); }
  std::size_t held() const { return is_dead() ? 0 : membership_->held(); }
  bool serves(placement::Slot slot) const;
  placement::Epoch epoch(placement::Slot slot) const { return map_ ? map_->epoch(slot) : 0; }

  void on_view(const placement::View& /*view*/, placement::NodeId /*self*/) override {}
  void on_lost(const std::vector<placement::Slot>& slots) override;
  void on_gained(const std::vector<placement::TakenSlot>& slots, Done done) override;
  void on_leaving(const std::vector<placement::Slot>& slots, Done done) override;
  void on_trouble(const std::optional<core::Error>& /*trouble*/) override {}
  void on_ended(const core::Error& /*why*/) override {}

 private:
  const std::string name_;
  const int rate_;
  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::Entropy& entropy_;
  std::unique_ptr<placement::HomeMap> map_;
  NodeStore store_;
  placement::MemoryHomeStore homes_;
  std::unique_ptr<placement::Membership> membership_;
  std::unique_ptr<Hub> hub_;
  core::MonoTime next_step_{};
  bool is_stopped_ = false;
  bool is_connected_ = true;
  int life_ = 0;
};

}  // namespace parley::session
