// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/hub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/memory_session_store.h"
#include "tests/support/session/other_node.h"
#include "tests/support/session/test_actors.h"

namespace parley::session {
namespace {

class HubTest : public testing::Test {
 protected:
  std::unique_ptr<Hub> hub_of(std::size_t count) {
    std::vector<std::unique_ptr<Shard>> shards;
    for (std::size_t i = 0; i < count; ++i) {
      shards.push_back(std::make_unique<Shard>(scheduler_, entropy_, store_, SessionLimits{}));
    }
    return std::make_unique<Hub>(std::move(shards), other_node_.placement());
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{1};
  event::MemorySessionStore store_;
  OtherNode other_node_;
};

TEST_F(HubTest, Sessions_AreSpreadOverShards) {
  const auto hub = hub_of(8);
  std::set<Shard*> used;
  for (int i = 0; i < 200; ++i) used.insert(&hub->home_of("session-" + std::to_string(i)));
  EXPECT_EQ(used.size(), 8U);
}

TEST_F(HubTest, SessionsOfSameSuffix_ShareShard) {
  const auto hub = hub_of(64);
  std::set<Shard*> used;
  for (int i = 0; i < 200; ++i) {
    used.insert(&hub->home_of("s-20260213-" + std::to_string(i) + ".k7"));
    used.insert(&hub->home_of("a.b." + std::to_string(i) + ".k7"));
  }
  EXPECT_EQ(used.size(), 1U);
  EXPECT_EQ(*used.begin(), &hub->home_of("k7")) << "what serves them can find it by the part alone";
}

TEST_F(HubTest, SessionOfOtherNode_IsNotMadeHere) {
  other_node_.owners = {"alice"};
  const auto hub = hub_of(2);
  EXPECT_TRUE(hub->check_home("bob"));
  ASSERT_FALSE(hub->check_home("alice"));
  EXPECT_EQ(hub->check_home("alice").error().code, core::Code::owned_elsewhere);
  EXPECT_EQ(hub->check_home("alice").error().field, event::kHomeField);
  std::vector<core::Result<Session*>> used;
  hub->with_session({"a.k7", "custom", "alice"},
                    [&](core::Result<Session*> session) { used.push_back(std::move(session)); });
  ASSERT_EQ(used.size(), 1U);
  EXPECT_EQ(used[0].error().message, "Another node owns this session: node-2.");
  scheduler_.run_ready();
  EXPECT_EQ(hub->shard(0).counts().sessions + hub->shard(1).counts().sessions, 0U);
}

// The lease of this node is over, and its sessions are still in memory.
TEST_F(HubTest, SessionInMemory_IsNotGivenOutWhileItsOwnerIsElsewhere) {
  const auto hub = hub_of(1);
  const auto ask = [](core::Result<Session*> session) {
    AskRequest request{asking_token()};
    request.key = "k";
    (*session)->ask(std::move(request), nullptr);
  };
  hub->with_session({"s", "custom", "alice"}, ask);
  scheduler_.run_ready();
  other_node_.owners = {"alice"};
  std::optional<core::Result<Session*>> found;
  const auto look = [&](core::Result<Session*> session) { found = std::move(session); };
  hub->with_session({"s", "custom", "alice"}, look);
  ASSERT_TRUE(found && !*found);
  EXPECT_EQ(found->error().code, core::Code::owned_elsewhere);
  other_node_.owners.clear();
  hub->with_session({"s", "custom", "alice"}, look);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((**found)->pending_count(), 1U);
}

// Two owners ask for one id at once. The home of one says nothing about the other's session.
TEST_F(HubTest, IdOfAnotherOwner_IsRefused_WhileItIsLoadedToo) {
  {
    const auto before = hub_of(1);
    before->with_session({"s", "custom", "alice"}, [](core::Result<Session*> session) {
      (*session)->append("in", "message", "{}", [](const auto& /*seq*/) {});
    });
    scheduler_.run_ready();
  }
  const auto hub = hub_of(1);
  std::vector<std::string> used;
  for (const char* const owner : {"bob", "alice", "bob"}) {
    hub->with_session({"s", "custom", owner}, [&used](const core::Result<Session*>& session) {
      used.push_back(session ? (*session)->owner() : session.error().message);
    });
  }
  scheduler_.run_ready();
  const std::string taken = "This id is taken. Choose another one.";
  EXPECT_THAT(used, testing::UnorderedElementsAre(taken, taken, "alice"));
}

TEST_F(HubTest, NewIdOfTwoOwners_IsTheFirstOnes) {
  const auto hub = hub_of(1);
  std::vector<std::string> used;
  for (const char* const owner : {"bob", "alice"}) {
    hub->with_session({"s", "custom", owner}, [&used](const core::Result<Session*>& session) {
      used.push_back(session ? (*session)->owner() : session.error().message);
      if (session) (*session)->append("in", "message", "{}", [](const auto& /*seq*/) {});
    });
  }
  scheduler_.run_ready();
  EXPECT_THAT(used, testing::ElementsAre("bob", "This id is taken. Choose another one."));
}

TEST_F(HubTest, SessionOfOtherDialect_IsRefused) {
  const auto hub = hub_of(1);
  std::vector<std::string> used;
  const auto ask = [&](SessionKey key) {
    hub->with_session(std::move(key), [&used](const core::Result<Session*>& session) {
      used.push_back(session ? (*session)->dialect() : session.error().message);
    });
  };
  ask({"s", "loom", "alice"});
  ask({"s", "assistant", "alice"});
  ask({"s", "chat", "alice", "loom"});
  ask({"s", "", "alice"});
  scheduler_.run_ready();
  EXPECT_THAT(used, testing::ElementsAre("loom",
                                         "The session \"s\" belongs to another protocol. Name "
                                         "another session.",
                                         "loom", "loom"));
}

TEST_F(HubTest, TaskPostedHome_RunsAfterCall) {
  const auto hub = hub_of(2);
  Shard* there = nullptr;
  hub->post_home("s", [&](Shard& shard) { there = &shard; });
  EXPECT_EQ(there, nullptr);
  scheduler_.run_ready();
  EXPECT_EQ(there, &hub->home_of("s"));
}

// Keeps the keys of the observed interactions.
class KeyWatcher final : public InteractionWatcher {
 public:
  void on_opened(const event::SessionRow& session, const InteractionPtr& interaction) override {
    opened.push_back(session.owner + " " + interaction->key);
  }
  void on_closed(const event::SessionRow&, const InteractionPtr& interaction) override {
    closed.push_back(interaction->key);
  }
  void on_left(const event::SessionRow& session, const InteractionPtr& interaction) override {
    left.push_back(session.owner + " " + interaction->key);
  }
  std::vector<std::string> opened;
  std::vector<std::string> closed;
  std::vector<std::string> left;
};

TEST_F(HubTest, Watcher_IsToldWithoutParticipant) {
  const std::vector<std::string> opened = {"alice k"};
  const auto ask = [](core::Result<Session*> session) {
    AskRequest request{asking_token()};
    request.key = "k";
    (*session)->ask(std::move(request), nullptr);
  };
  {
    KeyWatcher watcher;
    const auto hub = hub_of(2);
    hub->watch(watcher);
    scheduler_.run_ready();
    hub->with_session({"s", "assistant", "alice"}, ask);
    scheduler_.run_ready();
    EXPECT_EQ(watcher.opened, opened);
    EXPECT_TRUE(watcher.closed.empty());
  }
  KeyWatcher watcher;
  const auto hub = hub_of(2);
  hub->watch(watcher);
  hub->recover(store_, scheduler_,
               [](const core::Result<std::size_t>& count) { EXPECT_EQ(count.value_or(0), 1U); });
  scheduler_.run_ready();
  EXPECT_EQ(watcher.opened, opened) << "a restart repeats pending interactions";
  hub->with_session({"s", "assistant", "alice"}, [](core::Result<Session*> session) {
    (*session)->cancel("k", "Not needed.", person("", ""), nullptr);
  });
  scheduler_.run_ready();
  EXPECT_EQ(watcher.closed, std::vector<std::string>{"k"});
}

TEST_F(HubTest, Watcher_IsToldOfQuestionsThatGoToAnotherNode) {
  KeyWatcher watcher;
  const auto hub = hub_of(2);
  hub->watch(watcher);
  scheduler_.run_ready();
  hub->with_session({"s", "assistant", "alice"}, [](core::Result<Session*> session) {
    AskRequest request{asking_token()};
    request.key = "k";
    (*session)->ask(std::move(request), [](const core::Result<InteractionPtr>& answer) {
      EXPECT_FALSE(answer) << "the caller asks the other node";
    });
  });
  scheduler_.run_ready();
  hub->leave_home(placement::SlotSet().set(), scheduler_, [] {});
  scheduler_.run_ready();
  EXPECT_EQ(watcher.left, std::vector<std::string>{"alice k"});
  EXPECT_TRUE(watcher.closed.empty());
}

TEST_F(HubTest, Recovery_LeavesSessionsOfOtherNodes) {
  {
    const auto before = hub_of(2);
    for (const char* id : {"here", "there"}) {
      before->with_session({id, "custom", id}, [](core::Result<Session*> session) {
        AskRequest request{asking_token()};
        request.key = "k";
        (*session)->ask(std::move(request), nullptr);
      });
    }
    scheduler_.run_ready();
  }
  other_node_.owners = {"there"};
  const auto hub = hub_of(2);
  std::size_t taken_up = 0;
  hub->recover(store_, scheduler_, [&](core::Result<std::size_t> count) { taken_up = *count; });
  scheduler_.run_ready();
  EXPECT_EQ(taken_up, 1U);
  EXPECT_NE(hub->home_of("here").find("here"), nullptr);
  EXPECT_EQ(hub->shard(0).counts().pending + hub->shard(1).counts().pending, 1U);
}

TEST_F(HubTest, Recovery_DuringTakeover_LeavesTheSession) {
  {
    const auto before = hub_of(2);
    before->with_session({"s", "custom", "alice"}, [](core::Result<Session*> session) {
      AskRequest request{asking_token()};
      request.key = "k";
      (*session)->ask(std::move(request), nullptr);
    });
    scheduler_.run_ready();
  }
  const auto hub = hub_of(2);
  hub->recover(store_, scheduler_, [](const core::Result<std::size_t>&) {});
  // After the list of sessions, before the rows.
  scheduler_.post([&] { store_.take_over(); });
  scheduler_.run_ready();
  EXPECT_EQ(hub->home_of("s").find("s"), nullptr);
}

}  // namespace
}  // namespace parley::session
