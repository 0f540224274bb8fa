// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/session/simulated_cluster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "model/event/interaction_row.h"
#include "tests/support/session/test_actors.h"

namespace parley::session {

using core::Millis;
using core::Result;
using placement::MemoryHomeStore;

namespace {

constexpr std::size_t kNodes = 3;
constexpr int kSessions = 6;  // two of each owner
constexpr std::uint64_t kClusterKeys = 8;
constexpr std::size_t kMaxClusterWatchers = 4;
// Covers two leases, and the moves of all slots.
constexpr Millis kClusterSettleTime{90'000};
// Covers the retries of the store.
constexpr Millis kQuietTime{3'000};
constexpr Millis kTick{50};
constexpr Millis kSettleTick{250};
// Clocks that are up to this much wrong, in hundredths.
constexpr std::uint64_t kWrongBy = 5;
constexpr int kClusterWait = 100;

}  // namespace

SimulatedCluster::SimulatedCluster(std::uint64_t seed, bool tell) : tell_(tell), entropy_(seed) {
  store_.set_fence([this](std::string_view owner) {
    const placement::Home& home = homes_.home(placement::slot_of(owner));
    return home.node == placement::kNobody ? event::kNoHome : home.epoch;
  });
  for (int i = 0; i < kSessions; ++i) {
    Known& known = sessions_.emplace_back();
    known.id = "s" + std::to_string(i);
    known.owner = "owner" + std::to_string(i / 2);
    known.slot = placement::slot_of(known.owner);
    known.streams = i % 2 == 0;
  }
  for (std::size_t i = 0; i < kNodes; ++i) {
    const int rate = static_cast<int>(100 - kWrongBy + pick(2 * kWrongBy + 1));
    nodes_.push_back(std::make_unique<SimulatedNode>(std::string(1, static_cast<char>('a' + i)),
                                                     rate, store_, homes_, entropy_));
    nodes_.back()->start();
  }
}

SimulatedCluster::~SimulatedCluster() { nodes_.clear(); }

void SimulatedCluster::tell(const std::string& what) const {
  if (tell_) std::cout << steps_ << ": " << what << '\n';
}

template <typename Use>
void SimulatedCluster::with_session(Known& known, Use use) {
  SimulatedNode* home = nullptr;
  for (const auto& node : nodes_) {
    if (!node->is_dead() && !node->is_stopped() && node->serves(known.slot)) home = node.get();
  }
  tell("  at " + (home == nullptr ? "no node" : home->name()));
  if (home == nullptr) return;
  home->hub().with_session({known.id, "test", known.owner},
                           [&known, home, life = home->life(), epoch = home->epoch(known.slot),
                            use = std::move(use)](Result<Session*> session) mutable {
                             ASSERT_EQ(life, home->life()) << "a callback of an earlier life";
                             if (!session) return;
                             // As a run that goes on: watchers may have seen events that were not
                             // stored.
                             const std::pair now(life, epoch);
                             const bool is_new =
                                 std::exchange(known.homes[home->name()], now) != now;
                             if (is_new && known.streams) (*session)->skip_lost_numbers();
                             use(**session, *home);
                           });
}

void SimulatedCluster::step() {
  ++steps_;
  std::erase_if(callers_, [](const auto& caller) {
    return caller->done || caller->life != caller->node->life();
  });
  std::erase_if(watchers_, [](const Watching& each) {
    return each.life != each.node->life() || each.watcher->session() == nullptr;
  });
  switch (pick(24)) {
    case 0:
    case 1:
    case 2:
      ask();
      break;
    case 3:
    case 4:
      answer();
      break;
    case 5:
    case 6:
      append_durable();
      break;
    case 7:
    case 8:
      append_flowing();
      break;
    case 9:
    case 10:
      join();
      break;
    case 11:
      leave();
      break;
    case 12:
    case 13:
      step_of_a_node();
      break;
    case 14:
      if (pick(20) == 0) settle();
      break;
    case 15:
      advance(Millis(pick(4'000)));
      break;
    case 16:
      for (const auto& node : nodes_) node->let_calls_arrive(pick(4));
      break;
    default:
      work(pick(8));
      if (pick(3) == 0) advance(kTick);
  }
}

// --- clients --------------------------------------------------------------------------------

void SimulatedCluster::ask() {
  Known& known = any_session();
  // Who streams asks as a run does.
  AskRequest request{known.streams ? Authority::of_run() : asking_token()};
  request.key = "q" + std::to_string(pick(kClusterKeys));
  request.prompt.text = "text of " + request.key;
  request.prompt.timeout_s = pick(3) == 0 ? kClusterWait : static_cast<int>(5 + pick(60));
  tell("ask " + request.key + " in " + known.id);
  with_session(known, [this, &known, request = std::move(request)](Session& session,
                                                                   SimulatedNode& node) mutable {
    auto caller = std::make_shared<Caller>(Caller{&node, node.life(), false});
    callers_.push_back(caller);
    session.ask(std::move(request), [this, &known, caller](const Result<InteractionPtr>& result) {
      ASSERT_EQ(caller->life, caller->node->life()) << "a caller of an earlier life was called";
      ASSERT_FALSE(std::exchange(caller->done, true)) << "answered twice";
      if (result) note_fate(known, **result);
    });
  });
}

void SimulatedCluster::answer() {
  Known& known = any_session();
  const std::string key = "q" + std::to_string(pick(kClusterKeys));
  tell("answer " + key + " in " + known.id);
  Answer answer;
  answer.contents.push_back({Content::Type::text, std::to_string(++made_), "", "", ""});
  with_session(known, [this, &known, key, answer](Session& session, SimulatedNode&) {
    session.answer(key, answer, person("ui", "ui"),
                   [this, &known](const Result<AnswerReceipt>& receipt) {
                     if (!receipt) return;
                     note_fate(known, *receipt->interaction);
                     if (!receipt->won) return;
                     ASSERT_EQ(++known.winners[receipt->interaction->key], 1) << "two winners";
                   });
  });
}

void SimulatedCluster::append_durable() {
  Known& known = any_session();
  const std::string payload = "{\"n\":" + std::to_string(++made_) + "}";
  tell("append " + payload + " to " + known.id);
  with_session(known, [this, &known, payload](Session& session, SimulatedNode&) {
    std::vector<Session::NewEvent> events;
    events.push_back({"out", "tool_start", payload});
    session.append_durable(
        std::move(events), [this, &known, payload](const Result<std::uint64_t>& seq) {
          if (!seq) {
            known.refused.insert(payload);
            return;
          }
          const auto stored = store_.event(known.id, *seq);
          ASSERT_TRUE(stored && stored->payload == payload) << *seq << " is told and not stored";
          ASSERT_TRUE(known.acknowledged.emplace(*seq, payload).second) << *seq << " twice";
        });
  });
}

void SimulatedCluster::append_flowing() {
  Known& known = any_session();
  if (!known.streams) return;
  const std::string payload = "{\"n\":" + std::to_string(++made_) + "}";
  with_session(known, [&known, payload](Session& session, SimulatedNode&) {
    std::vector<Session::NewEvent> events;
    events.push_back({"out", "message_chunk", payload});
    const Result<std::uint64_t> seq = session.append_flowing(
        std::move(events),
        [&known, payload](const core::Error&) { known.refused.insert(payload); });
    if (!seq) known.refused.insert(payload);
  });
}

void SimulatedCluster::join() {
  if (watchers_.size() >= kMaxClusterWatchers) return;
  Known& known = any_session();
  tell("a watcher joins " + known.id);
  with_session(known, [this, &known](Session& session, SimulatedNode& node) {
    if (session.has_moved()) return;
    auto watcher =
        std::make_unique<SimulatedWatcher>("w" + std::to_string(++made_), known.seen, store_);
    watcher->join(session);
    watchers_.push_back({&node, node.life(), &known, std::move(watcher)});
  });
}

void SimulatedCluster::leave() {
  if (watchers_.empty()) return;
  watchers_[pick(watchers_.size())].watcher->leave();
}

// Checks that all reports of an interaction's end agree.
void SimulatedCluster::note_fate(Known& known, const Interaction& interaction) {
  const auto [it, is_new] = known.fates.emplace(interaction.key, closed_payload(interaction));
  ASSERT_EQ(it->second, closed_payload(interaction)) << "two fates of " << interaction.key;
}

// --- nodes ----------------------------------------------------------------------------------

void SimulatedCluster::step_of_a_node() {
  SimulatedNode& node = any_node();
  if (node.is_dead()) {
    tell(node.name() + " starts");
    return node.start();
  }
  switch (pick(12)) {
    case 0:
      return kill(node);
    case 1:
    case 2:
      tell(node.name() + " is stopped");
      return node.set_stopped(true);
    case 3:
      tell(node.name() + " is cut off");
      return node.disconnect(MemoryHomeStore::Fault::unreachable);
    case 4:
      tell(node.name() + " gets no answers");
      return node.disconnect(MemoryHomeStore::Fault::no_answer);
    case 5:
      if (pick(4) != 0) return;
      tell(node.name() + " drains");
      return node.drain();
    case 6:
      if (pick(10) != 0) return;
      tell("the clock of the store jumps");
      clock_jumped_ = true;
      return clock_.advance(Millis(pick(10'000)));
    default:
      tell(node.name() + " is well");
      node.set_stopped(false);
      return node.reconnect();
  }
}

void SimulatedCluster::kill(SimulatedNode& node) {
  tell(node.name() + " is killed");
  for (Watching& each : watchers_) {
    if (each.node == &node) each.life = -1;
  }
  node.kill(pick(4));
  std::erase_if(watchers_, [](const Watching& each) { return each.life == -1; });
}

void SimulatedCluster::work(std::size_t calls) {
  for (const auto& node : nodes_) {
    node->work(calls);
    check_homes();
  }
}

void SimulatedCluster::advance(Millis by) {
  while (by > Millis(0) && !testing::Test::HasFailure()) {
    const Millis part = std::min(by, kTick);
    by -= part;
    clock_.advance(part);
    for (const auto& node : nodes_) node->advance(part);
    check_homes();
    work(pick(4));
  }
}

// --- rest -----------------------------------------------------------------------------------

bool SimulatedCluster::serve_all() const {
  return std::all_of(sessions_.begin(), sessions_.end(), [this](const Known& known) {
    return std::any_of(nodes_.begin(), nodes_.end(),
                       [&known](const auto& node) { return node->serves(known.slot); });
  });
}

bool SimulatedCluster::is_placed() const {
  std::size_t held = 0;
  for (const auto& node : nodes_) held += node->held();
  if (held != placement::kSlots) return false;
  for (std::size_t slot = 0; slot < placement::kSlots; ++slot) {
    const placement::NodeId home = homes_.home(static_cast<placement::Slot>(slot)).node;
    if (!std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
          return node->id() == home && node->serves(static_cast<placement::Slot>(slot));
        })) {
      return false;
    }
  }
  return true;
}

// Mends everything and lets time pass, until nothing moves.
void SimulatedCluster::settle() {
  tell("settle");
  for (const auto& node : nodes_) {
    if (node->is_dead()) node->start();
    node->set_stopped(false);
    node->reconnect();
  }
  Millis quiet{0};
  for (Millis passed{0}; passed < kClusterSettleTime && quiet < kQuietTime; passed += kSettleTick) {
    clock_.advance(kSettleTick);
    for (const auto& node : nodes_) node->advance(kSettleTick);
    for (int round = 0; round < 4; ++round) {
      for (const auto& node : nodes_) node->work(1'000);
    }
    const bool is_quiet = quiet + kSettleTick < kQuietTime || is_placed();
    quiet = is_quiet && serve_all() ? quiet + kSettleTick : Millis(0);
    if (testing::Test::HasFailure()) return;
  }
  ASSERT_TRUE(is_placed()) << "slots without a home";
  clock_jumped_ = false;
  check_homes();
  check_settled();
}

void SimulatedCluster::end() {
  tell("the end");
  for (int passed = 0; passed < 2 * kClusterWait; passed += 100) {
    settle();
    clock_.advance(std::chrono::seconds(100));
    for (const auto& node : nodes_) node->advance(std::chrono::seconds(100));
  }
  for (Watching& each : watchers_) {
    if (each.life == each.node->life()) each.watcher->leave();
  }
  settle();
  for (const Known& known : sessions_) check_log(known);
}

// --- promises -------------------------------------------------------------------------------

void SimulatedCluster::check_homes() {
  if (clock_jumped_) return;  // leases are over before their nodes can know
  for (const Known& known : sessions_) {
    for (const auto& node : nodes_) {
      if (!node->serves(known.slot)) continue;
      ASSERT_EQ(homes_.home(known.slot).node, node->id())
          << node->name() << " serves " << known.id << ", which another node has";
    }
  }
}

void SimulatedCluster::check_settled() {
  const auto reader = store_.make_reader();
  for (const Known& known : sessions_) {
    std::set<std::string> stored;
    const auto rows = (*reader)->pending(known.id);
    ASSERT_TRUE(rows);
    for (const event::StoredInteraction& one : *rows) stored.insert(one.row.key);
    for (const auto& node : nodes_) {
      if (!node->serves(known.slot)) continue;
      std::set<std::string> pending;
      Session* const session = node->hub().shard(0).find(known.id);
      if (session != nullptr) {
        for (const InteractionPtr& one : session->pending()) pending.insert(one->key);
      }
      ASSERT_EQ(pending, stored) << known.id << ": the home knows other questions than are open";
      for (const Watching& each : watchers_) {
        if (each.session != &known || each.life != each.node->life()) continue;
        if (each.watcher->session() == nullptr) continue;
        ASSERT_EQ(each.watcher->session(), session) << "a watcher stays where the session was";
        ASSERT_EQ(each.watcher->shown(), pending);
      }
    }
  }
}

void SimulatedCluster::check_log(const Known& known) {
  std::map<std::string, std::string> closed;
  std::set<std::string> opened;
  std::set<std::string> payloads;
  std::uint64_t last = 0;
  for (const event::Event& event : store_.events(known.id)) {
    ASSERT_TRUE(event.seq == last + 1 || (event.seq > last && event.type == event::kNumbersSkipped))
        << known.id << ": " << event.seq << " follows " << last;
    last = event.seq;
    payloads.insert(event.payload);
    const auto seen = known.seen.by_seq.find(event.seq);
    ASSERT_TRUE(seen == known.seen.by_seq.end() || seen->second == event.type + event.payload)
        << known.id << ": " << event.seq << " was seen as " << seen->second << " and is stored as "
        << event.type << event.payload;
    if (event.type == event::kInteractionClosed) {
      const auto from = event.payload.find("\"key\":\"") + 7;
      const std::string key = event.payload.substr(from, event.payload.find('"', from) - from);
      ASSERT_TRUE(closed.emplace(key, event.payload).second) << key << " was closed twice";
    }
  }
  for (const auto& [key, fate] : known.fates) {
    ASSERT_TRUE(closed.contains(key) && closed[key] == fate) << key << ": told, but not stored";
  }
  for (const auto& [seq, payload] : known.acknowledged) {
    const auto stored = store_.event(known.id, seq);
    ASSERT_TRUE(stored && stored->payload == payload) << seq << " was acknowledged";
  }
  for (const std::string& payload : known.refused) {
    ASSERT_FALSE(payloads.contains(payload)) << payload << " was refused, and is stored";
  }
  ASSERT_TRUE((*store_.make_reader())->pending(known.id)->empty())
      << "a question has no fate after the longest wait";
}

}  // namespace parley::session
