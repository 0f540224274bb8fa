// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/placement/placer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/core/clock.h"

namespace parley::placement {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const core::MonoTime kStart{std::chrono::hours(1)};

Node node(NodeId id, const std::string& name) {
  return {id, {name, name + "-data", name + ":1", "1"}, true, false};
}

View view_of(std::vector<Node> nodes) { return {std::move(nodes), std::vector<Home>(kSlots)}; }

std::map<NodeId, std::size_t> shares(const View& view) {
  std::map<NodeId, std::size_t> out;
  for (const NodeId home : preferred_homes(view.nodes)) ++out[home];
  return out;
}

TEST(PreferredHomeTest, NodesHaveEqualShares) {
  const View view = view_of({node(1, "a"), node(2, "b"), node(3, "c"), node(4, "d")});
  const auto found = shares(view);
  ASSERT_THAT(found, SizeIs(4));
  for (const auto& [id, count] : found) {
    EXPECT_GT(count, kSlots / 6) << id;
    EXPECT_LT(count, kSlots / 3) << id;
  }
}

TEST(PreferredHomeTest, NodeThatLeaves_MovesItsOwnShare) {
  const View before = view_of({node(1, "a"), node(2, "b"), node(3, "c")});
  View after = before;
  after.nodes[1].is_live = false;
  const std::vector<NodeId> old_homes = preferred_homes(before.nodes);
  const std::vector<NodeId> new_homes = preferred_homes(after.nodes);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    if (old_homes[slot] == 2) {
      EXPECT_NE(new_homes[slot], 2);
    } else {
      EXPECT_EQ(new_homes[slot], old_homes[slot]);
    }
  }
}

TEST(PreferredHomeTest, NodeThatStartsAgain_HasTheSameShare) {
  const View before = view_of({node(1, "a"), node(2, "b")});
  const View after = view_of({node(2, "b"), node(7, "a")});
  EXPECT_EQ(shares(before).at(1), shares(after).at(7));
}

TEST(PreferredHomeTest, DrainingNodes_AreAskedForNothing) {
  View view = view_of({node(1, "a"), node(2, "b")});
  view.nodes[0].is_draining = true;
  EXPECT_EQ(shares(view), (std::map<NodeId, std::size_t>{{2, kSlots}}));
  view.nodes[1].is_draining = true;
  EXPECT_THAT(shares(view), SizeIs(2)) << "all drain: what is free is taken none the less";
  view.nodes[1].is_live = false;
  view.nodes[0].is_live = false;
  EXPECT_EQ(shares(view), (std::map<NodeId, std::size_t>{{kNobody, kSlots}}));
}

class PlacerTest : public testing::Test {
 protected:
  // The open questions of gained slots are in memory at once.
  HomeChanges renewed(core::MonoTime sent, const View& view) {
    HomeChanges changes = placer_.renewed(sent, view);
    placer_.recovered(changes.gained);
    return changes;
  }
  // A view in which this node has the slots from `first` up to `last` under `epoch`.
  View with(Slot first, Slot last, Epoch epoch) const {
    View view = view_of(nodes_);
    for (Slot slot = first; slot <= last; ++slot) view.homes[slot] = {1, epoch};
    return view;
  }

  std::vector<Node> nodes_{node(1, "a")};
  HomeMap map_;
  Placer placer_{1, map_};
};

TEST_F(PlacerTest, View_DecidesWhatIsServed_UntilTheLeaseMayBeOver) {
  const HomeChanges first = placer_.renewed(kStart, with(3, 4, 7));
  EXPECT_FALSE(map_.serves(3, kStart)) << "what is open there is not known yet";
  placer_.recovered(first.gained);
  EXPECT_THAT(first.gained, SizeIs(2));
  EXPECT_EQ(first.gained[0].epoch, 7U);
  EXPECT_TRUE(map_.serves(3, kStart));
  EXPECT_FALSE(map_.serves(5, kStart));
  EXPECT_TRUE(map_.serves(3, kStart + kLease - kServeMargin - core::Millis(1)));
  EXPECT_FALSE(map_.serves(3, kStart + kLease - kServeMargin));
  EXPECT_EQ(map_.epoch(3), 7U) << "its sessions stay: nobody may have taken it";
  EXPECT_TRUE(renewed(kStart + kLease, with(3, 4, 7)).empty());
  EXPECT_TRUE(map_.serves(3, kStart + kLease));
}

TEST_F(PlacerTest, SlotOfAnotherEpoch_IsLostAndGained) {
  renewed(kStart, with(3, 3, 7));
  const HomeChanges changes = renewed(kStart, with(3, 3, 9));
  EXPECT_THAT(changes.lost, ElementsAre(3));
  EXPECT_THAT(changes.gained, SizeIs(1));
  EXPECT_EQ(placer_.held(), 1U);
}

TEST_F(PlacerTest, FreeSlots_AreTakenInParts) {
  renewed(kStart, view_of(nodes_));
  std::set<Slot> taken;
  Epoch epoch = 0;
  for (std::vector<Slot> slots = placer_.to_take(); !slots.empty(); slots = placer_.to_take()) {
    EXPECT_LE(slots.size(), kMaxTaken);
    std::vector<TakenSlot> answer;
    answer.reserve(slots.size());
    for (const Slot slot : slots) answer.push_back({slot, ++epoch});
    taken.insert(slots.begin(), slots.end());
    EXPECT_THAT(placer_.took(answer).gained, SizeIs(slots.size()));
  }
  EXPECT_THAT(taken, SizeIs(kSlots));
}

TEST_F(PlacerTest, SlotsOfALiveNode_AreNotTaken_ThoseOfADeadOneAre) {
  nodes_.push_back(node(2, "b"));
  View view = view_of(nodes_);
  for (Home& home : view.homes) home = {2, 1};
  renewed(kStart, view);
  EXPECT_THAT(placer_.to_take(), IsEmpty());
  view.nodes[1].is_live = false;
  renewed(kStart, view);
  EXPECT_THAT(placer_.to_take(), SizeIs(kMaxTaken));
}

TEST_F(PlacerTest, JoiningNode_GetsItsShare_FewSlotsAtOnce) {
  renewed(kStart, with(0, kSlots - 1, 1));
  EXPECT_THAT(placer_.begin_to_leave(), IsEmpty());
  nodes_.push_back(node(2, "b"));
  const View view = with(0, kSlots - 1, 1);
  renewed(kStart, view);
  const std::vector<Slot> leaving = placer_.begin_to_leave();
  EXPECT_THAT(leaving, SizeIs(kMaxLeaving));
  EXPECT_THAT(placer_.begin_to_leave(), IsEmpty());
  const std::vector<NodeId> homes = preferred_homes(view.nodes);
  for (const Slot slot : leaving) EXPECT_EQ(homes[slot], 2);
  EXPECT_FALSE(map_.serves(leaving[0], kStart));
  EXPECT_EQ(map_.epoch(leaving[0]), 1U) << "commits in flight may end";
  EXPECT_EQ(placer_.give_back(leaving).lost, leaving);
  EXPECT_FALSE(map_.serves(leaving[0], kStart));
  EXPECT_THAT(placer_.begin_to_leave(), SizeIs(kMaxLeaving));
}

TEST_F(PlacerTest, NodesThatAllDrain_KeepWhatTheyHave) {
  nodes_.push_back(node(2, "b"));
  for (Node& each : nodes_) each.is_draining = true;
  renewed(kStart, with(0, kSlots - 1, 1));
  EXPECT_THAT(placer_.begin_to_leave(), IsEmpty());
}

TEST_F(PlacerTest, NodeThatHasLeft_ServesNothing) {
  renewed(kStart, with(0, 9, 1));
  EXPECT_THAT(placer_.left().lost, SizeIs(10));
  EXPECT_FALSE(map_.serves(0, kStart));
  EXPECT_THAT(placer_.to_take(), IsEmpty());
}

}  // namespace
}  // namespace parley::placement
