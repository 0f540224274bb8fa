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
  other_node_.keys = {"s"};
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

// --- mirrors: an interaction that is shown in a second session ----------------------------------

class MirrorTest : public SubscriptionTest {
 protected:
  // Opens "k" in the session "original" and its mirror in "s".
  void open_both() {
    original_ =
        std::make_unique<Subscription>(*hub_, SessionKey{"original", "test", "owner"}, home_);
    mirror_ = subscribe();
    AskRequest request{asking_token()};
    request.key = "k";
    request.kind = InteractionKind::tool_approval;
    request.prompt.text = "May I?";
    original_->ask(request, nullptr, [this](core::Result<InteractionPtr> ended) {
      mirror_->settle("k", *ended);
      ended_.push_back(std::move(ended));
    });
    request.mirror_of = "original";
    mirror_->ask(std::move(request), nullptr, [this](core::Result<InteractionPtr> ended) {
      ASSERT_TRUE(ended);
      mirrored_ = *ended;
    });
    run();
  }
  static Answer text(const std::string& words) {
    Answer answer;
    answer.contents.push_back({Content::Type::text, words, "", "", ""});
    return answer;
  }
  void answer_in(Subscription& session, const std::string& words) {
    session.answer("k", text(words), person(words, words),
                   [this](auto receipt) { receipts_.push_back(std::move(receipt)); });
  }

  std::unique_ptr<Subscription> original_;
  std::unique_ptr<Subscription> mirror_;
  InteractionPtr mirrored_;
  std::vector<core::Result<AnswerReceipt>> receipts_;
};

TEST_F(MirrorTest, AnswerInMirror_EndsBoth) {
  open_both();
  answer_in(*mirror_, "yes");
  run();
  ASSERT_EQ(ended_.size(), 1U);
  EXPECT_EQ((*ended_[0])->outcome.answer, text("yes"));
  ASSERT_TRUE(mirrored_);
  EXPECT_EQ(mirrored_->outcome.answer, text("yes"));
  ASSERT_EQ(receipts_.size(), 1U);
  EXPECT_TRUE(receipts_[0]->won);
}

TEST_F(MirrorTest, AnswerInOriginal_EndsBoth) {
  open_both();
  answer_in(*original_, "no");
  run();
  ASSERT_TRUE(mirrored_);
  EXPECT_EQ(mirrored_->outcome.answer, text("no"));
  EXPECT_EQ(mirrored_->outcome.nickname, "no");
}

// The parameter: true if the mirror is answered first.
class MirrorRaceTest : public MirrorTest, public ::testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(, MirrorRaceTest, ::testing::Bool());

TEST_P(MirrorRaceTest, TwoConcurrentAnswers_HaveSingleWinner) {
  open_both();
  answer_in(GetParam() ? *mirror_ : *original_, "first");
  answer_in(GetParam() ? *original_ : *mirror_, "second");
  run();
  ASSERT_EQ(ended_.size(), 1U);
  ASSERT_TRUE(mirrored_);
  EXPECT_EQ(mirrored_->outcome.answer, (*ended_[0])->outcome.answer);
  ASSERT_EQ(receipts_.size(), 2U);
  ASSERT_TRUE(receipts_[0] && receipts_[1]);
  EXPECT_NE(receipts_[0]->won, receipts_[1]->won);
  for (const auto& receipt : receipts_) {
    EXPECT_EQ(receipt->interaction->outcome.answer, mirrored_->outcome.answer);
  }
}

TEST_F(MirrorTest, UnstorableOriginal_LeavesBothOpen) {
  open_both();
  store_.fail_next(1, {core::Code::data_loss, "The disk failed.", ""});
  answer_in(*mirror_, "yes");
  run();
  ASSERT_EQ(receipts_.size(), 1U);
  EXPECT_FALSE(receipts_[0]);
  EXPECT_TRUE(session()->is_pending("k"));
  answer_in(*mirror_, "yes");
  run();
  ASSERT_EQ(receipts_.size(), 2U);
  EXPECT_TRUE(receipts_[1] && receipts_[1]->won);
}

TEST_F(MirrorTest, Mirror_AfterRestart_IsDecidedByOriginal) {
  open_both();
  original_.reset();
  mirror_.reset();
  shard_.drop_all();
  hub_.reset();
  open();
  hub_->recover(store_, shard_, [](const core::Result<std::size_t>& count) { EXPECT_TRUE(count); });
  run();
  const auto phone = subscribe();
  answer_in(*phone, "yes");
  run();
  ASSERT_EQ(receipts_.size(), 1U);
  EXPECT_TRUE(receipts_[0] && receipts_[0]->won);
  EXPECT_EQ(hub_->shard(0).counts().pending, 0U);
}

TEST_F(MirrorTest, MirrorWithoutOriginal_StandsAlone) {
  mirror_ = subscribe();
  AskRequest request{asking_token()};
  request.key = "k";
  request.mirror_of = "nowhere";
  request.prompt.text = "?";
  mirror_->ask(std::move(request), nullptr,
               [this](core::Result<InteractionPtr> ended) { ended_.push_back(std::move(ended)); });
  run();
  answer_in(*mirror_, "yes");
  run();
  ASSERT_EQ(ended_.size(), 1U);
  EXPECT_EQ((*ended_[0])->state, InteractionState::answered);
}

TEST_F(MirrorTest, SessionOfAnotherOwner_IsNotReached) {
  Subscription theirs(*hub_, SessionKey{"theirs", "test", "somebody"}, home_);
  ask(theirs, "k");
  mirror_ = subscribe();
  AskRequest request{asking_token()};
  request.key = "k";
  request.mirror_of = "theirs";
  request.prompt.text = "?";
  mirror_->ask(std::move(request), nullptr, [](const auto& /*ended*/) {});
  run();
  answer_in(*mirror_, "yes");
  run();
  ASSERT_EQ(receipts_.size(), 1U);
  EXPECT_FALSE(receipts_[0]);
  EXPECT_TRUE(hub_->shard(0).find("theirs")->is_pending("k"));
}

}  // namespace
}  // namespace parley::session
