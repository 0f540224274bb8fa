// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Members of a cluster: some on homes in memory, step by step, and some with their threads on a
// database. The simulated cluster has them in all kinds of trouble.
#include "model/placement/membership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "base/core/temp_folder.h"
#include "model/placement/cluster_view.h"
#include "model/placement/membership_thread.h"
#include "model/placement/postgres_home_store.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/placement/memory_home_store.h"
#include "tests/support/sql/private_postgres.h"

namespace parley::placement {
namespace {

using core::Code;

NodeDescription member(const std::string& name, const std::string& instance) {
  return {name, instance, name + ":9000", "0.1.0"};
}

// A user that has nothing to recover and nothing to flush.
class ReadyUser final : public HomeUser {
 public:
  void on_view(const View& shown, NodeId /*self*/) override { view.set(shown); }
  void on_lost(const std::vector<Slot>& slots) override { lost += slots.size(); }
  void on_gained(const std::vector<TakenSlot>& slots, Done done) override {
    gained += slots.size();
    done();
  }
  void on_leaving(const std::vector<Slot>& /*slots*/, Done done) override { done(); }
  void on_trouble(const std::optional<core::Error>& /*trouble*/) override {}
  void on_ended(const core::Error& why) override { ended = why; }

  ClusterView view;
  std::atomic<std::size_t> lost{0};
  std::atomic<std::size_t> gained{0};
  std::optional<core::Error> ended;
};

std::size_t served(const HomeMap& map, core::MonoTime now) {
  std::size_t count = 0;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    if (map.serves(static_cast<Slot>(slot), now)) ++count;
  }
  return count;
}

// A node that its test steps.
struct SteppedNode {
  SteppedNode(MemoryHomes& homes, const core::Clock& clock, NodeDescription self)
      : store(homes), membership(std::move(self), store, map, user, clock) {}

  HomeMap map;
  ReadyUser user;
  MemoryHomeStore store;
  Membership membership;
};

class MembershipTest : public testing::Test {
 protected:
  // Lets time pass; each node makes the calls that are due.
  void pass(core::Millis time, std::initializer_list<SteppedNode*> nodes) {
    constexpr core::Millis kStep{10};
    for (core::Millis passed{0}; passed < time; passed += kStep) {
      for (SteppedNode* node : nodes) {
        while (node->membership.step() <= clock_.mono()) continue;
      }
      clock_.advance(kStep);
    }
  }

  core::FakeClock clock_;
  MemoryHomes homes_{clock_};
  SteppedNode a_{homes_, clock_, member("a", "data-a")};
  SteppedNode b_{homes_, clock_, member("b", "data-b")};
};

TEST_F(MembershipTest, OneNode_ServesAll) {
  pass(core::Millis(100), {&a_});
  EXPECT_EQ(served(a_.map, clock_.mono()), kSlots);
}

TEST_F(MembershipTest, SecondNode_GetsItsShare_AndAllWhenTheFirstDies) {
  pass(core::Millis(100), {&a_});
  pass(std::chrono::seconds(30), {&a_, &b_});
  EXPECT_GT(a_.membership.held(), kSlots / 3);
  EXPECT_EQ(a_.membership.held() + b_.membership.held(), kSlots);
  EXPECT_EQ(served(b_.map, clock_.mono()), b_.membership.held());
  pass(kLease + 2 * kRenewal, {&b_});
  EXPECT_EQ(served(b_.map, clock_.mono()), kSlots) << "within seven seconds";
  EXPECT_EQ(served(a_.map, clock_.mono()), 0U) << "by its own clock";
}

TEST_F(MembershipTest, EachNode_KnowsWhoServesAnOwner) {
  pass(std::chrono::seconds(30), {&a_, &b_});
  for (int i = 0; i < 100; ++i) {
    const std::string owner = "owner-" + std::to_string(i);
    const bool is_at_a = a_.map.serves(slot_of(owner), clock_.mono());
    const NodeId home = is_at_a ? a_.membership.id() : b_.membership.id();
    for (const SteppedNode* const node : {&a_, &b_}) {
      ASSERT_TRUE(node->user.view.home_of(owner));
      EXPECT_EQ(node->user.view.home_of(owner)->id, home);
    }
  }
  EXPECT_EQ(a_.user.view.find(b_.membership.id())->description.link, "b:9000");
  pass(kLease + 2 * kRenewal, {&b_});
  EXPECT_EQ(b_.user.view.home_of("owner-1")->id, b_.membership.id()) << "the other one died";
}

TEST_F(MembershipTest, DrainedNode_HasNothing) {
  pass(std::chrono::seconds(30), {&a_, &b_});
  a_.membership.drain();
  pass(std::chrono::seconds(30), {&a_, &b_});
  EXPECT_EQ(a_.membership.held(), 0U);
  EXPECT_EQ(served(b_.map, clock_.mono()), kSlots);
}

TEST_F(MembershipTest, NodeThatLeaves_FreesItsSlotsAtOnce) {
  pass(std::chrono::seconds(30), {&a_, &b_});
  a_.membership.leave();
  EXPECT_EQ(a_.membership.step(), core::MonoTime::max());
  pass(2 * kRenewal, {&b_});
  EXPECT_EQ(served(b_.map, clock_.mono()), kSlots);
}

TEST_F(MembershipTest, StoreThatIsAway_EndsServing_AndGoesOn) {
  pass(core::Millis(100), {&a_});
  a_.store.set_fault(MemoryHomeStore::Fault::unreachable);
  pass(kLease, {&a_});
  EXPECT_EQ(served(a_.map, clock_.mono()), 0U);
  EXPECT_TRUE(a_.membership.trouble());
  EXPECT_EQ(a_.user.lost, 0U) << "nobody can have taken them";
  a_.store.set_fault(MemoryHomeStore::Fault::none);
  pass(kRenewal, {&a_});
  EXPECT_EQ(served(a_.map, clock_.mono()), kSlots);
  EXPECT_FALSE(a_.membership.trouble());
}

TEST_F(MembershipTest, SecondNodeOfAName_WaitsForALease_ThenEnds) {
  SteppedNode other(homes_, clock_, member("a", "data-other"));
  pass(core::Millis(100), {&a_});
  pass(kLease, {&a_, &other});
  EXPECT_FALSE(other.membership.ended());
  pass(2 * kRenewal, {&a_, &other});
  ASSERT_TRUE(other.membership.ended());
  EXPECT_EQ(other.membership.ended()->code, Code::already_exists);
  ASSERT_TRUE(other.user.ended) << "the user is told";
  EXPECT_EQ(other.user.ended->code, Code::already_exists);
}

TEST_F(MembershipTest, NodeOnAnotherMachine_FollowsADeadOneOfItsName) {
  SteppedNode other(homes_, clock_, member("a", "data-other"));
  pass(core::Millis(100), {&a_});
  pass(kLease + kRenewal, {&other});
  EXPECT_EQ(served(other.map, clock_.mono()), kSlots);
}

TEST_F(MembershipTest, NextStartOfANode_EndsTheLastOne) {
  SteppedNode again(homes_, clock_, member("a", "data-a"));
  pass(core::Millis(100), {&a_});
  pass(core::Millis(100), {&again});
  EXPECT_EQ(served(again.map, clock_.mono()), kSlots);
  pass(2 * kRenewal, {&a_, &again});
  ASSERT_TRUE(a_.membership.ended());
  EXPECT_EQ(a_.membership.held(), 0U);
}

class MembershipThreadTest : public testing::Test {
 protected:
  MembershipThreadTest() { place_.url = sql::PrivatePostgres::shared().new_database(); }

  struct Node {
    HomeMap map;
    ReadyUser user;
    std::unique_ptr<MembershipThread> thread;
  };
  void start(Node& node, const std::string& name) {
    auto store = PostgresHomeStore::open(place_);
    ASSERT_TRUE(store) << store.error().message;
    node.thread = std::make_unique<MembershipThread>(
        member(name, "data-" + name), std::move(*store), node.map, node.user, clock_);
  }
  std::size_t served_by(const Node& node) const { return served(node.map, clock_.mono()); }
  static bool reached(const std::function<bool()>& state) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!state()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(core::Millis(5));
    }
    return true;
  }

  core::TempFolder folder_;
  sql::StorePlace place_{folder_.path()};
  core::SystemClock clock_;
  Node a_;
  Node b_;
};

TEST_F(MembershipThreadTest, TwoNodes_ShareAllSlots_AndOneThatStopsGivesItsOwn) {
  start(a_, "a");
  ASSERT_TRUE(reached([&] { return served_by(a_) == kSlots; }));
  start(b_, "b");
  ASSERT_TRUE(reached([&] { return served_by(b_) > 0; }));
  b_.thread->drain();
  ASSERT_TRUE(reached([&] { return served_by(b_) == 0; }));
  a_.thread->stop();
  EXPECT_EQ(served_by(a_), 0U);
  EXPECT_TRUE(reached([&] { return served_by(b_) == kSlots; })) << "nobody else is there";
}

}  // namespace
}  // namespace parley::placement
