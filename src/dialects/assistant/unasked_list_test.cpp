// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Questions that were asked while no user interface was there, and clients that never list them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/assistant/assistant_fixture.h"

namespace parley::assistant {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

const core::Millis kDelay = AssistantOptions{}.unasked_list_delay;

class UnaskedList : public testing::Test {
 protected:
  void ask(std::string_view id) {
    calls_.push_back(server_.call(RpcMethod::ask_question, question(id, "Which way?")));
    server_.run();
  }
  // IDs of the questions that the client has been sent since the last call.
  static std::vector<std::string> asked(Ui& ui) {
    std::vector<std::string> out;
    for (const pb::WebsocketMessage& frame : ui.take()) {
      if (frame.cmd() == "AskQuestion") out.push_back(frame.askquestionrequest().id());
    }
    return out;
  }

  AssistantServer server_;
  std::vector<std::shared_ptr<Caller>> calls_;
};

TEST_F(UnaskedList, QuestionNobodyWasSent_IsPushedOnceAfterLogin) {
  ask("q1");
  ask("q2");
  Ui page(server_);
  page.enter("tok");
  server_.advance(kDelay - core::Millis(100));
  EXPECT_THAT(asked(page), IsEmpty()) << "the client may still list them";
  server_.advance(core::Millis(100));
  EXPECT_THAT(asked(page), ElementsAre("q1", "q2"));
  server_.advance(std::chrono::seconds(60));
  EXPECT_THAT(asked(page), IsEmpty());
  page.send(question_reply("q1", "left"));
  EXPECT_EQ(calls_[0]->answer().contents(0).text().text(), "left");
}

TEST_F(UnaskedList, ClientThatLists_GetsNothingTwice) {
  ask("q1");
  Ui desktop(server_);
  desktop.enter("tok");
  desktop.send_cmd("GetPendingMessages");
  EXPECT_THAT(desktop.take_cmds(), ElementsAre("GetPendingMessages"));
  server_.advance(std::chrono::seconds(60));
  EXPECT_THAT(desktop.take_cmds(), IsEmpty());
  Ui page(server_);
  page.enter("tok");
  server_.advance(kDelay);
  EXPECT_THAT(asked(page), IsEmpty()) << "an interface has been sent it";
}

TEST_F(UnaskedList, QuestionOnPage_IsNotPushedToReturningPage) {
  {
    Ui page(server_);
    page.enter("tok");
    ask("q1");
    EXPECT_THAT(asked(page), ElementsAre("q1"));
  }
  ask("q2");
  Ui again(server_);
  again.enter("tok");
  server_.advance(kDelay);
  EXPECT_THAT(asked(again), ElementsAre("q2")) << "q1 is on the page, which kept it";
}

TEST_F(UnaskedList, PagesOpenedTogether_BothGetIt) {
  ask("q1");
  Ui one(server_);
  one.enter("tok");
  Ui two(server_);
  two.enter("tok");
  server_.advance(kDelay);
  EXPECT_THAT(asked(one), ElementsAre("q1"));
  EXPECT_THAT(asked(two), ElementsAre("q1"));
}

TEST_F(UnaskedList, PageThatLeavesBefore_LeavesItForNext) {
  ask("q1");
  {
    Ui page(server_);
    page.enter("tok");
    server_.advance(kDelay / 2);
  }
  Ui next(server_);
  next.enter("tok");
  server_.advance(kDelay);
  EXPECT_THAT(asked(next), ElementsAre("q1"));
}

TEST_F(UnaskedList, AnsweredMeanwhile_IsNotPushed) {
  ask("q1");
  Ui page(server_);
  page.enter("tok");
  Ui other(server_);
  other.enter("tok");
  other.send(question_reply("q1", "left"));
  server_.advance(kDelay);
  EXPECT_THAT(asked(page), IsEmpty());
}

// The retry of an agent reaches a restarted server before the page does.
TEST_F(UnaskedList, AskedAfterRestartBeforePageReturns_IsPushed) {
  {
    Ui page(server_);
    page.enter("tok");
    ask("before");
  }
  calls_.clear();
  server_.restart();
  ask("after");
  Ui again(server_);
  again.enter("tok");
  server_.advance(kDelay);
  EXPECT_THAT(asked(again), ElementsAre("after"));
}

TEST_F(UnaskedList, OtherTokens_GetNothing) {
  ask("q1");
  Ui other(server_);
  other.enter("other");
  server_.advance(kDelay);
  EXPECT_THAT(other.take_cmds(), Not(Contains("AskQuestion")));
}

TEST_F(UnaskedList, SecondLoginWithOtherToken_TakesNothingAlong) {
  ask("q1");
  Ui page(server_);
  page.enter("tok");
  page.enter("other");
  server_.advance(kDelay);
  EXPECT_THAT(asked(page), IsEmpty());
  Ui next(server_);
  next.enter("tok");
  server_.advance(kDelay);
  EXPECT_THAT(asked(next), ElementsAre("q1"));
}

TEST_F(UnaskedList, FullQueue_DelaysTheRest) {
  ask("q1");
  ask("q2");
  Ui page(server_);
  page.enter("tok");
  page.socket.stuck = AssistantOptions{}.list_watermark + 1;
  server_.advance(std::chrono::seconds(5));
  EXPECT_THAT(asked(page), IsEmpty());
  page.socket.stuck = 0;
  server_.advance(AssistantOptions{}.list_retry + core::Millis(100));
  EXPECT_THAT(asked(page), ElementsAre("q1", "q2"));
}

TEST_F(UnaskedList, Report_IsPushedInBothSpellings) {
  calls_.push_back(server_.call(RpcMethod::work_report, report("r", "Done.")));
  server_.run();
  Ui page(server_);
  page.enter("tok");
  server_.advance(kDelay);
  EXPECT_THAT(page.take_cmds(), ElementsAre("TaskFinish", "WorkReport"));
}

TEST_F(UnaskedList, SessionsWithoutQuestions_AreForgotten) {
  UnsentQuestions& unsent = server_.context->unsent(server_.schedulers[0]);
  {
    Ui page(server_);
    page.enter("tok");
    EXPECT_EQ(unsent.size(), 1U);
  }
  EXPECT_EQ(unsent.size(), 0U);
}

// An approval of a run, which the inbox shows.
TEST_F(UnaskedList, ApprovalOfRun_IsPushedOnceAfterLogin) {
  const auto ask_in_run = [this](const std::string& key) {
    session::AskRequest request{session::Authority::of_run()};
    request.key = key;
    server_.ask_in_run("t1", std::move(request), [](const auto& /*ended*/) {});
  };
  ask_in_run("a1");
  {
    Ui page(server_);
    page.enter("tok");
    server_.advance(kDelay);
    EXPECT_THAT(asked(page), ElementsAre("a1"));
    ask_in_run("a2");
    EXPECT_THAT(asked(page), ElementsAre("a2"));
  }
  ask_in_run("a3");
  Ui page(server_);
  page.enter("tok");
  server_.advance(kDelay);
  EXPECT_THAT(asked(page), ElementsAre("a3"));
}

}  // namespace
}  // namespace parley::assistant
