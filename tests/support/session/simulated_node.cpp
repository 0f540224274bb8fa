// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/session/simulated_node.h"

#include <utility>

namespace parley::session {

using core::Millis;
using core::Result;
using placement::Slot;
using placement::SlotSet;
using placement::TakenSlot;

namespace {

constexpr Millis kRecoveryRetry{500};

SlotSet set_of(const std::vector<Slot>& slots) {
  SlotSet out;
  for (const Slot slot : slots) out.set(slot);
  return out;
}

}  // namespace

// --- the store ------------------------------------------------------------------------------

void NodeStore::proceed(std::size_t count) {
  for (; count > 0 && !waiting_.empty(); --count) {
    absl::AnyInvocable<void()> call = std::move(waiting_.front());
    waiting_.pop_front();
    call();
  }
}

event::HomeEpoch NodeStore::home_epoch(std::string_view owner) const {
  const placement::Epoch epoch = map_ ? map_->epoch(placement::slot_of(owner)) : 0;
  return epoch == 0 ? event::kNoHome : epoch;
}

void NodeStore::commit(event::UnitPtr unit, core::Scheduler& scheduler,
                       Done<event::Revision> done) {
  waiting_.push_back([this, unit = std::move(unit), &scheduler, done = std::move(done)]() mutable {
    shared_.commit(std::move(unit), scheduler, std::move(done));
  });
}

void NodeStore::append_flowing(event::UnitPtr unit, core::Scheduler& scheduler,
                               Done<event::Revision> done) {
  waiting_.push_back([this, unit = std::move(unit), &scheduler, done = std::move(done)]() mutable {
    shared_.append_flowing(std::move(unit), scheduler, std::move(done));
  });
}

void NodeStore::read(event::ReadQuery query, core::Scheduler& scheduler,
                     Done<event::EventPage> done) {
  waiting_.push_back(
      [this, query = std::move(query), &scheduler, done = std::move(done)]() mutable {
        shared_.read(std::move(query), scheduler, std::move(done));
      });
}

void NodeStore::count(std::string session, std::string type, core::Scheduler& scheduler,
                      Done<std::uint64_t> done) {
  waiting_.push_back([this, session = std::move(session), type = std::move(type), &scheduler,
                      done = std::move(done)]() mutable {
    shared_.count(std::move(session), std::move(type), scheduler, std::move(done));
  });
}

void NodeStore::session(std::string id, core::Scheduler& scheduler, Done<event::SessionRow> done) {
  waiting_.push_back([this, id = std::move(id), &scheduler, done = std::move(done)]() mutable {
    shared_.session(std::move(id), scheduler, std::move(done));
  });
}

void NodeStore::sessions(std::string owner, std::size_t limit, core::Scheduler& scheduler,
                         Done<std::vector<event::SessionRow>> done) {
  waiting_.push_back(
      [this, owner = std::move(owner), limit, &scheduler, done = std::move(done)]() mutable {
        shared_.sessions(std::move(owner), limit, scheduler, std::move(done));
      });
}

void NodeStore::pending_sessions(core::Scheduler& scheduler,
                                 Done<std::vector<event::PendingSession>> done) {
  waiting_.push_back([this, &scheduler, done = std::move(done)]() mutable {
    shared_.pending_sessions(scheduler, std::move(done));
  });
}

void NodeStore::pending(std::string session, core::Scheduler& scheduler,
                        Done<std::vector<event::StoredInteraction>> done) {
  waiting_.push_back(
      [this, session = std::move(session), &scheduler, done = std::move(done)]() mutable {
        shared_.pending(std::move(session), scheduler, std::move(done));
      });
}

void NodeStore::interaction(std::string session, std::string key, core::Scheduler& scheduler,
                            Done<std::optional<event::StoredInteraction>> done) {
  waiting_.push_back([this, session = std::move(session), key = std::move(key), &scheduler,
                      done = std::move(done)]() mutable {
    shared_.interaction(std::move(session), std::move(key), scheduler, std::move(done));
  });
}

void NodeStore::inbox(event::InboxQuery query, core::Scheduler& scheduler,
                      Done<event::InboxPage> done) {
  waiting_.push_back(
      [this, query = std::move(query), &scheduler, done = std::move(done)]() mutable {
        shared_.inbox(std::move(query), scheduler, std::move(done));
      });
}

void NodeStore::inbox_interaction(std::string owner, std::string key, std::string first,
                                  core::Scheduler& scheduler,
                                  Done<std::optional<event::StoredInteraction>> done) {
  waiting_.push_back([this, owner = std::move(owner), key = std::move(key),
                      first = std::move(first), &scheduler, done = std::move(done)]() mutable {
    shared_.inbox_interaction(std::move(owner), std::move(key), std::move(first), scheduler,
                              std::move(done));
  });
}

// --- the node -------------------------------------------------------------------------------

SimulatedNode::SimulatedNode(std::string name, int rate, event::MemorySessionStore& store,
                             placement::MemoryHomes& homes, core::Entropy& entropy)
    : name_(std::move(name)), rate_(rate), entropy_(entropy), store_(store, map_), homes_(homes) {}

SimulatedNode::~SimulatedNode() {
  if (!is_dead()) kill(0);
}

void SimulatedNode::start() {
  map_ = std::make_unique<placement::HomeMap>();
  std::vector<std::unique_ptr<Shard>> shards;
  shards.push_back(std::make_unique<Shard>(scheduler_, entropy_, store_, SessionLimits{}));
  hub_ = std::make_unique<Hub>(std::move(shards),
                               [this](std::string_view owner) -> std::optional<std::string> {
                                 if (serves(placement::slot_of(owner))) return std::nullopt;
                                 return "another one";
                               });
  membership_ = std::make_unique<placement::Membership>(
      placement::NodeDescription{name_, name_ + "-data", name_ + ":9000", "1"}, homes_, *map_,
      *this, clock_);
  next_step_ = clock_.mono();
}

void SimulatedNode::kill(std::size_t done) {
  ++life_;
  membership_.reset();
  hub_.reset();
  scheduler_.drop_all();
  store_.proceed(done);
  store_.forget();
  scheduler_.drop_all();
  map_.reset();
  is_stopped_ = false;
}

void SimulatedNode::disconnect(placement::MemoryHomeStore::Fault fault) {
  homes_.set_fault(fault);
  is_connected_ = fault == placement::MemoryHomeStore::Fault::none;
}

void SimulatedNode::drain() { membership_->drain(); }

void SimulatedNode::advance(Millis by) {
  const Millis own = by * rate_ / 100;
  if (is_dead() || is_stopped_) {
    clock_.advance(own);
  } else {
    scheduler_.advance(own);
  }
}

void SimulatedNode::work(std::size_t calls) {
  if (is_dead() || is_stopped_) return;
  if (clock_.mono() >= next_step_) next_step_ = membership_->step();
  if (is_connected_) store_.proceed(calls);
  scheduler_.run_ready();
}

void SimulatedNode::let_calls_arrive(std::size_t calls) {
  if (!is_dead() && is_connected_) store_.proceed(calls);
}

bool SimulatedNode::serves(Slot slot) const { return map_ && map_->serves(slot, clock_.mono()); }

void SimulatedNode::on_lost(const std::vector<Slot>& slots) {
  hub_->leave_home(set_of(slots), scheduler_, [] {});
}

void SimulatedNode::on_gained(const std::vector<TakenSlot>& slots, Done done) {
  hub_->recover(store_, scheduler_, slots,
                [this, slots, life = life_,
                 done = std::move(done)](const Result<std::size_t>& count) mutable {
                  if (life != life_) return;
                  if (count) return done();
                  scheduler_.after(kRecoveryRetry, [this, slots, done = std::move(done)]() mutable {
                    on_gained(slots, std::move(done));
                  });
                });
}

void SimulatedNode::on_leaving(const std::vector<Slot>& slots, Done done) {
  hub_->leave_home(set_of(slots), scheduler_, [this, done = std::move(done)]() mutable {
    if (is_dead()) return;
    done();
    next_step_ = clock_.mono();
  });
}

}  // namespace parley::session
