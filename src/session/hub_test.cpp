// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "session/hub.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/fake_scheduler.h"
#include "event/memory_store.h"

namespace parley::session {
namespace {

class HubTest : public testing::Test {
 protected:
  std::unique_ptr<Hub> hub_of(std::size_t count) {
    std::vector<std::unique_ptr<Shard>> shards;
    for (std::size_t i = 0; i < count; ++i) {
      shards.push_back(std::make_unique<Shard>(scheduler_, entropy_, store_, SessionLimits{}));
    }
    return std::make_unique<Hub>(std::move(shards));
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{1};
  event::MemoryStore store_;
};

TEST_F(HubTest, SessionsAreSpreadOverTheShards) {
  const auto hub = hub_of(8);
  std::set<Shard*> used;
  for (int i = 0; i < 200; ++i) used.insert(&hub->shard_of("session-" + std::to_string(i)));
  EXPECT_EQ(used.size(), 8U);
}

TEST_F(HubTest, SessionsWithTheSamePartAfterTheLastDotLiveOnOneShard) {
  const auto hub = hub_of(64);
  std::set<Shard*> used;
  for (int i = 0; i < 200; ++i) {
    used.insert(&hub->shard_of("s-20260213-" + std::to_string(i) + ".k7"));
    used.insert(&hub->shard_of("a.b." + std::to_string(i) + ".k7"));
  }
  EXPECT_EQ(used.size(), 1U);
  EXPECT_EQ(*used.begin(), &hub->shard_of("k7"))
      << "what serves them can find it by the part alone";
}

}  // namespace
}  // namespace parley::session
