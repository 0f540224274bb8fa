// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/placement/cluster_view.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace parley::placement {
namespace {

// Node 1 is live and has every slot but that of "b", which is of node 2.
View two_nodes(bool second_is_live) {
  View view;
  view.nodes.push_back({1, {"a", "a-data", "10.0.0.1:9000", "1"}, true, false});
  view.nodes.push_back({2, {"b", "b-data", "10.0.0.2:9000", "1"}, second_is_live, false});
  view.homes.assign(kSlots, {1, 1});
  view.homes.at(slot_of("b")) = {2, 5};
  return view;
}

TEST(ClusterViewTest, BeforeTheFirstView_NobodyIsHome) {
  const ClusterView view;
  EXPECT_FALSE(view.home_of("a"));
  EXPECT_FALSE(view.find(1));
  EXPECT_TRUE(view.nodes().empty());
}

TEST(ClusterViewTest, Home_IsALiveNode) {
  ClusterView view;
  view.set(two_nodes(true));
  EXPECT_EQ(view.home_of("a")->description.link, "10.0.0.1:9000");
  EXPECT_EQ(view.home_of("b")->id, 2);
  view.set(two_nodes(false));
  EXPECT_FALSE(view.home_of("b")) << "its lease is over";
  EXPECT_EQ(view.find(2)->description.name, "b");
  View fewer = two_nodes(true);
  fewer.nodes.pop_back();
  view.set(std::move(fewer));
  EXPECT_FALSE(view.home_of("b")) << "it has left";
  EXPECT_FALSE(view.find(2));
  EXPECT_EQ(view.nodes().size(), 1U);
}

TEST(ClusterViewTest, ViewIsSet_WhileOthersRead) {
  ClusterView view;
  view.set(two_nodes(true));
  std::atomic<bool> ends{false};
  std::thread reader([&] {
    while (!ends) EXPECT_TRUE(view.home_of("b"));
  });
  for (int i = 0; i < 200; ++i) view.set(two_nodes(true));
  ends = true;
  reader.join();
}

}  // namespace
}  // namespace parley::placement
