// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The inbox of an owner, which shows interactions of its other sessions.
#include <gmock/gmock.h>

#include <optional>

#include "model/session/hub.h"
#include "model/session/workspace.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/memory_session_store.h"
#include "tests/support/session/recording_participant.h"
#include "tests/support/session/test_actors.h"

namespace parley::session {
namespace {

using core::Code;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kKey = "r/approval/c";

// A run's session and the inbox of its owner, on two threads.
class InboxTest : public ::testing::Test {
 protected:
  InboxTest() { start(); }
  ~InboxTest() override {
    if (inbox_ != nullptr) inbox_->leave(page_);
  }

  void start(SessionLimits limits = {}) {
    std::vector<std::unique_ptr<Shard>> shards;
    shards.push_back(std::make_unique<Shard>(first_, entropy_, store_, limits));
    shards.push_back(std::make_unique<Shard>(second_, entropy_, store_, limits));
    hub_ = std::make_unique<Hub>(std::move(shards));
  }
  void restart() {
    if (inbox_ != nullptr) std::exchange(inbox_, nullptr)->leave(page_);
    first_.drop_all();
    second_.drop_all();
    hub_.reset();
    start();
    hub_->recover(store_, first_, [](const core::Result<std::size_t>& count) {
      EXPECT_TRUE(count) << count.error().message;
    });
    run();
  }
  void run() {
    while (first_.run_ready() + second_.run_ready() > 0) {
    }
  }
  void in(const SessionKey& key, const std::function<void(Session&)>& use) {
    hub_->with_session(key, [&use](core::Result<Session*> found) {
      ASSERT_TRUE(found) << found.error().message;
      use(**found);
    });
    run();
  }
  // Asks in a session of `owner`; its inbox shows the question.
  void ask(const std::string& session, const std::string& key, const std::string& owner = "owner") {
    in({session, "loom", owner}, [&](Session& home) {
      AskRequest request{Authority::of_run()};
      request.key = key;
      request.kind = InteractionKind::tool_approval;
      request.prompt.text = "May I?";
      request.in_inbox = true;
      home.ask(std::move(request),
               [this](core::Result<InteractionPtr> ended) { ended_.push_back(std::move(ended)); });
    });
  }
  // A page of the owner's people joins the inbox.
  void open_page() {
    in(inbox_key_, [this](Session& inbox) {
      ASSERT_TRUE(inbox.join(page_));
      inbox_ = &inbox;
    });
  }
  static Answer text(const std::string& words) {
    Answer answer;
    answer.contents.push_back({Content::Type::text, words, "", "", ""});
    return answer;
  }
  void answer_in(const SessionKey& key, const std::string& words, const Actor& by) {
    in(key, [&](Session& session) {
      session.answer(kKey, text(words), by,
                     [this](auto receipt) { receipts_.push_back(std::move(receipt)); });
    });
  }
  void answer_in(const SessionKey& key, const std::string& words) {
    answer_in(key, words, person(words, words));
  }
  std::size_t pending() {
    return hub_->shard(0).counts().pending + hub_->shard(1).counts().pending;
  }
  std::vector<std::string> stored(const std::string& session) {
    std::vector<std::string> types;
    for (const event::Event& event : store_.events(session)) types.push_back(event.type);
    return types;
  }

  core::FakeClock clock_;
  core::FakeScheduler first_{clock_};
  core::FakeScheduler second_{clock_};
  core::SeededEntropy entropy_{1};
  event::MemorySessionStore store_;
  std::unique_ptr<Hub> hub_;
  const SessionKey run_key_{"run", "loom", "owner"};
  const SessionKey inbox_key_ = assistant_workspace("owner");
  RecordingParticipant page_{"page"};
  Session* inbox_ = nullptr;
  std::vector<core::Result<InteractionPtr>> ended_;
  std::vector<core::Result<AnswerReceipt>> receipts_;
};

TEST_F(InboxTest, AnswerInInbox_EndsQuestionOfRun) {
  open_page();
  ask("run", kKey);
  ASSERT_THAT(page_.opened, SizeIs(1));
  EXPECT_EQ(page_.opened[0]->session, "run");
  EXPECT_TRUE(inbox_->is_pending(kKey));
  answer_in(inbox_key_, "yes");
  ASSERT_THAT(ended_, SizeIs(1));
  EXPECT_EQ((*ended_[0])->outcome.answer, text("yes"));
  ASSERT_THAT(receipts_, SizeIs(1));
  EXPECT_TRUE(receipts_[0]->won);
  ASSERT_THAT(page_.closed, SizeIs(1));
  EXPECT_EQ(page_.closed[0]->outcome.nickname, "yes");
  EXPECT_FALSE(inbox_->is_pending(kKey));
  EXPECT_EQ(inbox_->notify_answering({kKey, "page", "nick"}), false);
}

TEST_F(InboxTest, Approval_IsTwoDurableEvents) {
  open_page();
  ask("run", kKey);
  answer_in(inbox_key_, "yes");
  EXPECT_THAT(stored("run"), ElementsAre("interaction.opened", "interaction.closed"));
  EXPECT_THAT(stored(inbox_key_.id), IsEmpty());
}

TEST_F(InboxTest, AnswerInRun_IsShownInInbox) {
  open_page();
  ask("run", kKey);
  answer_in(run_key_, "no");
  ASSERT_THAT(page_.closed, SizeIs(1));
  EXPECT_EQ(page_.closed[0]->outcome.answer, text("no"));
  EXPECT_THAT(inbox_->pending(), IsEmpty());
}

// The parameter: true if the inbox is answered first.
class InboxRaceTest : public InboxTest, public ::testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(, InboxRaceTest, ::testing::Bool());

TEST_P(InboxRaceTest, TwoConcurrentAnswers_HaveSingleWinner) {
  open_page();
  ask("run", kKey);
  for (const SessionKey& key :
       {GetParam() ? inbox_key_ : run_key_, GetParam() ? run_key_ : inbox_key_}) {
    hub_->with_session(key, [this, &key](core::Result<Session*> session) {
      (*session)->answer(kKey, text(key.id), person(key.id, key.id),
                         [this](auto receipt) { receipts_.push_back(std::move(receipt)); });
    });
  }
  run();
  ASSERT_THAT(ended_, SizeIs(1));
  ASSERT_THAT(receipts_, SizeIs(2));
  ASSERT_TRUE(receipts_[0] && receipts_[1]);
  EXPECT_NE(receipts_[0]->won, receipts_[1]->won);
  for (const auto& receipt : receipts_) {
    EXPECT_EQ(receipt->interaction->outcome.answer, (*ended_[0])->outcome.answer);
  }
}

TEST_F(InboxTest, UnstorableAnswer_LeavesQuestionOpen) {
  open_page();
  ask("run", kKey);
  store_.fail_next(1, {Code::data_loss, "The disk failed.", ""});
  answer_in(inbox_key_, "yes");
  ASSERT_THAT(receipts_, SizeIs(1));
  EXPECT_FALSE(receipts_[0]);
  EXPECT_TRUE(inbox_->is_pending(kKey));
  answer_in(inbox_key_, "yes");
  ASSERT_THAT(receipts_, SizeIs(2));
  EXPECT_TRUE(receipts_[1] && receipts_[1]->won);
}

TEST_F(InboxTest, QuestionOfRun_IsShownAfterRestart) {
  ask("run", kKey);
  restart();
  open_page();
  EXPECT_THAT(inbox_->pending(), SizeIs(1));
  answer_in(inbox_key_, "yes");
  ASSERT_THAT(receipts_, SizeIs(1));
  EXPECT_TRUE(receipts_[0] && receipts_[0]->won);
  EXPECT_EQ(pending(), 0U);
}

TEST_F(InboxTest, LateAnswer_GetsEndOfOtherSession) {
  ask("run", kKey);
  answer_in(run_key_, "first");
  answer_in(inbox_key_, "late");
  ASSERT_THAT(receipts_, SizeIs(2));
  ASSERT_TRUE(receipts_[1]);
  EXPECT_FALSE(receipts_[1]->won);
  EXPECT_EQ(receipts_[1]->interaction->outcome.answer, text("first"));
}

// Otherwise a question of an agent could stand in the place of an approval.
TEST_F(InboxTest, KeyOfAnotherSession_IsNotTaken) {
  std::vector<core::Result<InteractionPtr>> refused;
  const auto ask_in_inbox = [&] {
    in(inbox_key_, [&refused](Session& inbox) {
      AskRequest request{answering_token()};
      request.key = kKey;
      request.kind = InteractionKind::tool_approval;
      request.prompt.text = "May I?";
      inbox.ask(std::move(request), [&refused](core::Result<InteractionPtr> ended) {
        refused.push_back(std::move(ended));
      });
    });
  };
  ask("run", kKey);
  ask_in_inbox();
  answer_in(run_key_, "yes");
  ask_in_inbox();
  ASSERT_THAT(refused, SizeIs(2));
  for (const auto& one : refused) EXPECT_EQ(one.error().code, Code::already_exists);
  EXPECT_THAT(stored(inbox_key_.id), IsEmpty());
}

// A key that an agent used before a run did, which makes its own.
TEST_F(InboxTest, OwnKey_ComesBeforeShownOne) {
  open_page();
  in(inbox_key_, [](Session& inbox) {
    AskRequest request{asking_token()};
    request.key = kKey;
    inbox.ask(std::move(request), [](const core::Result<InteractionPtr>&) {});
  });
  ask("run", kKey);
  EXPECT_THAT(inbox_->pending(), SizeIs(2));
  answer_in(inbox_key_, "yes");
  ASSERT_THAT(page_.closed, SizeIs(1));
  EXPECT_EQ(page_.closed[0]->session, inbox_key_.id);
  EXPECT_THAT(ended_, IsEmpty());
}

TEST_F(InboxTest, QuestionOfAnotherOwner_IsNotShown) {
  open_page();
  ask("theirs", kKey, "somebody");
  EXPECT_THAT(page_.opened, IsEmpty());
  answer_in(inbox_key_, "yes");
  ASSERT_THAT(receipts_, SizeIs(1));
  EXPECT_EQ(receipts_[0].error().code, Code::not_found);
  EXPECT_EQ(pending(), 1U);
}

TEST_F(InboxTest, TokenWithoutAnswer_EndsNothing) {
  ask("run", kKey);
  for (const Authority& by : {asking_token(), Authority::of_token("a", {false, true}),
                              Authority::of_window("a"), Authority::of_answer_link("x")}) {
    answer_in(inbox_key_, "yes", {by});
    in(inbox_key_, [&](Session& inbox) {
      inbox.cancel(kKey, "No.", {by},
                   [this](auto receipt) { receipts_.push_back(std::move(receipt)); });
    });
  }
  ASSERT_THAT(receipts_, SizeIs(8));
  for (const auto& receipt : receipts_) EXPECT_FALSE(receipt);
  EXPECT_EQ(pending(), 1U);
}

TEST_F(InboxTest, FullInbox_ShowsNoMore_PassesAnswersOn) {
  start({.max_pending = 2});
  open_page();
  for (const char* run : {"a", "b"}) ask(run, run);
  ask("run", kKey);
  EXPECT_THAT(inbox_->pending(), SizeIs(2));
  EXPECT_EQ(pending(), 3U);
  answer_in(inbox_key_, "no", {asking_token()});
  answer_in(inbox_key_, "yes");
  ASSERT_THAT(receipts_, SizeIs(2));
  EXPECT_FALSE(receipts_[0]);
  ASSERT_TRUE(receipts_[1] && receipts_[1]->won);
  EXPECT_EQ(receipts_[1]->interaction->outcome.answer, text("yes"));
  EXPECT_EQ(pending(), 2U);
  EXPECT_THAT(page_.closed, IsEmpty()) << "it was not shown";
}

TEST_F(InboxTest, SecondShownKey_IsNotShown) {
  open_page();
  ask("run", kKey);
  ask("another", kKey);
  ASSERT_THAT(inbox_->pending(), SizeIs(1));
  EXPECT_EQ(inbox_->pending()[0]->session, "run");
  answer_in({"another", "loom", "owner"}, "yes");
  EXPECT_THAT(inbox_->pending(), SizeIs(1)) << "the end of another one ends nothing here";
}

TEST_F(InboxTest, ShownQuestion_KeepsInboxInMemory) {
  ask("run", kKey);
  Shard& home = hub_->home_of(inbox_key_.id);
  ASSERT_NE(home.find(inbox_key_.id), nullptr);
  answer_in(run_key_, "yes");
  EXPECT_EQ(home.find(inbox_key_.id), nullptr);
}

TEST_F(InboxTest, RunTakenByOtherNode_LeavesInbox) {
  open_page();
  ask("run", kKey);
  store_.take_over();
  in(run_key_, [](Session& run) { run.append("in", "message", "{}", [](const auto& /*seq*/) {}); });
  EXPECT_THAT(inbox_->pending(), IsEmpty());
  EXPECT_THAT(page_.closed, IsEmpty()) << "it is pending on the other node";
}

// Before version 6 of the store, a second interaction showed the question in the inbox.
TEST_F(InboxTest, MirrorOfOlderServer_EndsAtStart) {
  in(inbox_key_, [](Session& inbox) {
    AskRequest request{Authority::of_run()};
    request.key = kKey;
    inbox.ask(std::move(request), [](const core::Result<InteractionPtr>&) {});
  });
  ask("run", kKey);
  store_.rewrite(inbox_key_.id, 1,
                 [](std::string payload) { return payload.insert(1, R"("mirror_of":"run",)"); });
  restart();
  open_page();
  EXPECT_EQ(pending(), 1U);
  ASSERT_THAT(inbox_->pending(), SizeIs(1));
  EXPECT_EQ(inbox_->pending()[0]->session, "run");
  EXPECT_THAT(stored(inbox_key_.id), ElementsAre("interaction.opened", "interaction.closed"));
}

}  // namespace
}  // namespace parley::session
