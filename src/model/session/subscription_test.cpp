// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/subscription.h"

#include <gmock/gmock.h>

#include <optional>

#include "tests/support/session/other_node.h"
#include "tests/support/session/session_fixture.h"
#include "tests/support/session/test_actors.h"

namespace parley::session {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A client with a scheduler of its own, which runs only when the test runs it.
class SubscriptionTest : public ::testing::Test {
 protected:
  SubscriptionTest() { open(); }

  void open() {
    std::vector<std::unique_ptr<Shard>> shards;
    shards.push_back(std::make_unique<Shard>(shard_, entropy_, store_, SessionLimits{}));
    hub_ = std::make_unique<Hub>(std::move(shards), other_node_.placement());
  }
  void run() {
    while (shard_.run_ready() + home_.run_ready() > 0) {
    }
  }
  std::unique_ptr<Subscription> subscribe() {
    return std::make_unique<Subscription>(*hub_, SessionKey{"s", "test", "owner"}, home_);
  }
  static ParticipantInfo info() {
    ParticipantInfo info;
    info.client_id = "watcher";
    info.role = ParticipantRole::observer;
    return info;
  }
  Subscription::Events events() {
    return {
        [this](const core::Result<std::uint64_t>& visible) {
          told_.push_back(visible ? "joined " + std::to_string(*visible) : visible.error().message);
        },
        [this](const event::UnitPtr& unit) {
          for (const event::Event& event : unit->events) told_.push_back(event.type);
        },
        [this](const InteractionPtr& opened) { told_.push_back("opened " + opened->key); },
        [this](const InteractionPtr& closed) { told_.push_back("closed " + closed->key); },
        [this](LeaveReason /*reason*/) { told_.emplace_back("left"); }};
  }
  void ask(Subscription& subscription, const std::string& key) {
    AskRequest request{asking_token()};
    request.key = key;
    request.prompt.text = "?";
    subscription.ask(
        std::move(request), [this](const InteractionPtr& it) { asked_.push_back(it->key); },
        [this](core::Result<InteractionPtr> ended) { ended_.push_back(std::move(ended)); });
  }
  Session* session() { return hub_->shard(0).find("s"); }

  core::FakeClock clock_;
  core::FakeScheduler shard_{clock_};
  core::FakeScheduler home_{clock_};
  core::SeededEntropy entropy_{1};
  event::MemorySessionStore store_;
  OtherNode other_node_;
  std::unique_ptr<Hub> hub_;
  std::vector<std::string> told_;
  std::vector<std::string> asked_;
  std::vector<core::Result<InteractionPtr>> ended_;
};

TEST_F(SubscriptionTest, Watcher_HearsEventsAfterJoining) {
  const auto asker = subscribe();
  ask(*asker, "early");
  run();
  const auto watcher = subscribe();
  watcher->watch(info(), events());
  run();
  EXPECT_THAT(told_, ElementsAre("joined 1", "opened early"));
  told_.clear();
  watcher->answer("early", {}, person("w", "w"), nullptr);
  run();
  EXPECT_THAT(told_, testing::UnorderedElementsAre("closed early", "interaction.closed"));
}

TEST_F(SubscriptionTest, SessionOfOtherNode_IsReported) {
  other_node_.owners = {"owner"};
  const auto subscription = subscribe();
  subscription->watch(info(), events());
  ask(*subscription, "k");
  run();
  EXPECT_THAT(told_, ElementsAre("Another node owns this session: node-2."));
  ASSERT_EQ(ended_.size(), 1U);
  EXPECT_EQ(ended_[0].error().field, event::kHomeField);
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(SubscriptionTest, Destruction_SilencesAndLeaves) {
  auto watcher = subscribe();
  watcher->watch(info(), events());
  run();
  told_.clear();
  session()->append("out", "custom", "{}", [](const auto&) {});
  shard_.run_ready();
  watcher.reset();
  run();
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_EQ(hub_->shard(0).counts().sessions, 0U);
}

TEST_F(SubscriptionTest, Destruction_DuringLoad_JoinsNothing) {
  auto watcher = subscribe();
  watcher->watch(info(), events());
  ask(*watcher, "k");
  watcher.reset();
  run();
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_THAT(store_.events("s"), IsEmpty());
  EXPECT_EQ(hub_->shard(0).counts().sessions, 0U);
}

TEST_F(SubscriptionTest, Watcher_MayDestroySubscriptionInCallback) {
  auto watcher = subscribe();
  Subscription::Events last = events();
  last.events = [&](const event::UnitPtr& unit) {
    told_.push_back(unit->events.front().type);
    watcher.reset();
  };
  watcher->watch(info(), std::move(last));
  run();
  session()->append("out", "custom", "{}", [](const auto&) {});
  session()->append("out", "custom", "{}", [](const auto&) {});
  run();
  EXPECT_THAT(told_, ElementsAre("joined 0", "custom"));
}

TEST_F(SubscriptionTest, Asker_HearsOpeningAndEnd) {
  const auto asker = subscribe();
  ask(*asker, "k");
  run();
  EXPECT_THAT(asked_, ElementsAre("k"));
  EXPECT_THAT(ended_, IsEmpty());
  std::optional<core::Result<AnswerReceipt>> receipt;
  asker->answer("k", {}, person("a", "a"), [&](auto result) { receipt = std::move(result); });
  run();
  ASSERT_TRUE(receipt && *receipt);
  EXPECT_TRUE((*receipt)->won);
  ASSERT_EQ(ended_.size(), 1U);
  EXPECT_EQ((*ended_[0])->state, InteractionState::answered);
}

TEST_F(SubscriptionTest, Asker_OfOpenQuestion_HearsOpeningAtOnce) {
  const auto first = subscribe();
  ask(*first, "k");
  run();
  const auto second = subscribe();
  ask(*second, "k");
  run();
  EXPECT_THAT(asked_, ElementsAre("k", "k"));
}

TEST_F(SubscriptionTest, Destruction_AbandonsWaitingQuestions) {
  auto asker = subscribe();
  ask(*asker, "k");
  run();
  asker.reset();
  run();
  ASSERT_NE(session(), nullptr);
  EXPECT_TRUE(session()->is_pending("k"));
  shard_.advance(core::limits::kCallerGrace);
  run();
  EXPECT_THAT(ended_, IsEmpty());
  EXPECT_EQ(session(), nullptr);
}

TEST_F(SubscriptionTest, Withdraw_EndsAtOnce) {
  const auto asker = subscribe();
  ask(*asker, "k");
  run();
  asker->withdraw("k", "No longer needed.", asking_token());
  run();
  ASSERT_EQ(ended_.size(), 1U);
  EXPECT_EQ((*ended_[0])->outcome.reason, "No longer needed.");
}

TEST_F(SubscriptionTest, ClosedGate_RefusesNewQuestionsOnly) {
  const auto asker = subscribe();
  ask(*asker, "k");
  run();
  core::WorkGate gate;
  gate.close("No room.");
  AskRequest request{asking_token()};
  request.key = "k";
  request.prompt.text = "?";
  request.gate = &gate;
  const auto again = [&] {
    asker->ask(request, nullptr, [this](auto ended) { ended_.push_back(std::move(ended)); });
    run();
  };
  again();
  EXPECT_THAT(ended_, IsEmpty());
  request.key = "other";
  again();
  ASSERT_EQ(ended_.size(), 1U);
  EXPECT_EQ(ended_[0].error().message, "No room.");
}

TEST_F(SubscriptionTest, Revocation_IsLastCallback) {
  const auto watcher = subscribe();
  watcher->watch(info(), events());
  run();
  hub_->revoke("owner");
  run();
  EXPECT_THAT(told_, ElementsAre("joined 0", "left"));
}

TEST_F(SubscriptionTest, TaskOutlivingShards_DoesNothing) {
  auto asker = subscribe();
  ask(*asker, "k");
  run();
  asker->withdraw("k", "", asking_token());
  asker.reset();
  hub_.reset();
  run();
  EXPECT_THAT(ended_, IsEmpty());
}

// The callback keeps the subscription alive, as the callback of an API call does.
TEST_F(SubscriptionTest, EndOfShards_ReleasesWaitingCallbacks) {
  for (const bool opened : {true, false}) {
    open();
    auto asker = std::make_shared<std::unique_ptr<Subscription>>(subscribe());
    AskRequest request{asking_token()};
    request.key = "k";
    (*asker)->ask(std::move(request), nullptr, [asker](const auto& /*ended*/) {});
    if (opened) run();
    const std::weak_ptr<std::unique_ptr<Subscription>> kept = asker;
    asker.reset();
    EXPECT_FALSE(kept.expired());
    hub_.reset();
    shard_.drop_all();
    EXPECT_TRUE(kept.expired());
  }
}

}  // namespace
}  // namespace parley::session
