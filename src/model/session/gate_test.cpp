// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "model/session/notice_key.h"
#include "tests/support/session/session_fixture.h"

namespace parley::session {
namespace {

using core::Code;
using testing::SizeIs;

// --- the decision itself ------------------------------------------------------------------------

struct NamedAuthority {
  std::string name;
  Authority by;
};

std::vector<NamedAuthority> authorities() {
  return {{"ask", Authority::of_token("a", {})},
          {"ask+read", Authority::of_token("a", {.answer = false, .read = true})},
          {"answer", Authority::of_token("a", {.answer = true, .read = false})},
          {"answer+read", Authority::of_token("a", {.answer = true, .read = true})},
          {"no id", Authority::of_token("", {})},
          {"window", Authority::of_window("a")},
          {"window without id", Authority::of_window("")},
          {"link", Authority::of_answer_link("k")},
          {"link of another", Authority::of_answer_link("other")},
          {"run", Authority::of_run()},
          {"allowance", Authority::of_run_allowance()},
          {"notice limit", Authority::of_notice_limit()}};
}

Interaction interaction(InteractionKind kind, const Asker& asker, std::string key = "k") {
  Interaction one;
  one.key = std::move(key);
  one.kind = kind;
  one.asker = asker;
  return one;
}

// The deeds that an authority may do, as "answer cancel read".
std::string deeds_of(const Authority& by, const Interaction& one) {
  std::string out;
  const auto add = [&](Deed deed, const char* name) {
    if (permitted(by, one, deed)) out += (out.empty() ? "" : " ") + std::string(name);
  };
  add(Deed::answer, "answer");
  add(Deed::cancel, "cancel");
  add(Deed::read, "read");
  return out;
}

using Rows = std::vector<std::string>;

Rows table(const Interaction& one) {
  Rows rows;
  for (const NamedAuthority& each : authorities()) {
    const std::string deeds = deeds_of(each.by, one);
    if (!deeds.empty()) rows.push_back(each.name + ": " + deeds);
  }
  return rows;
}

constexpr InteractionKind kAllKinds[] = {
    InteractionKind::question, InteractionKind::task_finish, InteractionKind::tool_approval,
    InteractionKind::client_tool_call, InteractionKind::ui_tool_call};

TEST(Gate, OwnQuestion_WithoutWindow) {
  for (const InteractionKind kind : kAllKinds) {
    EXPECT_EQ(table(interaction(kind, {"a", false})),
              (Rows{"ask: cancel read", "ask+read: cancel read", "answer: answer cancel read",
                    "answer+read: answer cancel read", "link: answer"}))
        << kind_name(kind);
  }
}

TEST(Gate, OwnQuestion_AskedInWindow) {
  for (const InteractionKind kind : {InteractionKind::question, InteractionKind::task_finish}) {
    EXPECT_EQ(
        table(interaction(kind, {"a", true})),
        (Rows{"ask: cancel read", "ask+read: cancel read", "answer: answer cancel read",
              "answer+read: answer cancel read", "window: answer cancel read", "link: answer"}))
        << kind_name(kind);
  }
}

TEST(Gate, Window_NeverTakesAnApprovalOrACall) {
  for (const InteractionKind kind :
       {InteractionKind::tool_approval, InteractionKind::client_tool_call,
        InteractionKind::ui_tool_call}) {
    EXPECT_EQ(deeds_of(Authority::of_window("a"), interaction(kind, {"a", true})), "");
  }
}

TEST(Gate, QuestionOfAnotherToken) {
  for (const InteractionKind kind : kAllKinds) {
    for (const bool window : {false, true}) {
      EXPECT_EQ(table(interaction(kind, {"b", window})),
                (Rows{"ask+read: read", "answer: answer cancel", "answer+read: answer cancel read",
                      "link: answer"}))
          << kind_name(kind);
    }
  }
}

TEST(Gate, QuestionOfTheServer_OrOfBeforeAskersWereStored) {
  EXPECT_EQ(table(interaction(InteractionKind::question, {})),
            (Rows{"ask+read: read", "answer: answer cancel", "answer+read: answer cancel read",
                  "link: answer", "run: cancel read"}));
  EXPECT_EQ(table(interaction(InteractionKind::tool_approval, {})),
            (Rows{"ask+read: read", "answer: answer cancel", "answer+read: answer cancel read",
                  "link: answer", "run: cancel read", "allowance: answer"}));
}

TEST(Gate, Notice_IsEndedByItsLimitToo) {
  const auto one =
      interaction(InteractionKind::task_finish, {"b", false}, notice_key("done", "1", ""));
  EXPECT_EQ(deeds_of(Authority::of_notice_limit(), one), "cancel");
}

TEST(Gate, Denial_NamesTheRight) {
  const auto denied = permitted(Authority::of_token("a", {}),
                                interaction(InteractionKind::question, {"b", false}), Deed::answer);
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().code, Code::permission_denied);
  EXPECT_EQ(denied.error().field, "rights");
  EXPECT_THAT(denied.error().message, testing::HasSubstr("\"answer\""));
}

// --- a session behind the gate ------------------------------------------------------------------

class GatedSessionTest : public SessionTest {
 protected:
  WaiterId ask_by(const Authority& by, const std::string& text = "?") {
    AskRequest request{by};
    request.key = "k";
    request.prompt.text = text;
    const WaiterId waiter = session_->ask(
        std::move(request),
        [this](core::Result<InteractionPtr> ended) { fates_.emplace_back("k", std::move(ended)); });
    scheduler_.run_ready();
    return waiter;
  }
  core::Result<AnswerReceipt> answer_by(const Authority& by, const std::string& text = "yes") {
    Answer answer;
    answer.contents.emplace_back().text = text;
    std::optional<core::Result<AnswerReceipt>> told;
    session_->answer("k", std::move(answer), {by, {"c", "n"}},
                     [&](core::Result<AnswerReceipt> receipt) { told = std::move(receipt); });
    scheduler_.run_ready();
    return told.value();
  }
  core::Result<AnswerReceipt> cancel_by(const Authority& by) {
    std::optional<core::Result<AnswerReceipt>> told;
    session_->cancel("k", "Away with it.", {by},
                     [&](core::Result<AnswerReceipt> receipt) { told = std::move(receipt); });
    scheduler_.run_ready();
    return told.value();
  }
  static Authority token(std::string id, bool answer, bool read) {
    return Authority::of_token(std::move(id), {answer, read});
  }
};

TEST_F(GatedSessionTest, ForeignActor_IsRefused_AndQuestionStaysOpen) {
  ask_by(asking_token("a"));
  EXPECT_EQ(answer_by(token("b", false, true)).error().code, Code::permission_denied);
  EXPECT_EQ(cancel_by(token("b", false, true)).error().code, Code::permission_denied);
  EXPECT_EQ(answer_by(Authority::of_window("a")).error().code, Code::not_found)
      << "it was not asked in the window";
  EXPECT_TRUE(session_->is_pending("k"));
}

TEST_F(GatedSessionTest, ActorThatMayNotRead_CannotTellForeignFromUnknown) {
  ask_by(asking_token("a"));
  const core::Error foreign = cancel_by(asking_token("b")).error();
  ASSERT_TRUE(answer_by(answering_token()));
  const core::Error ended = cancel_by(asking_token("b")).error();
  std::optional<core::Result<AnswerReceipt>> unknown;
  session_->cancel("never asked", "", {asking_token("b")},
                   [&](core::Result<AnswerReceipt> receipt) { unknown = std::move(receipt); });
  scheduler_.run_ready();
  ASSERT_TRUE(unknown);
  for (const core::Error& error : {foreign, ended}) {
    EXPECT_EQ(error.code, unknown->error().code);
    EXPECT_EQ(error.message, unknown->error().message);
    EXPECT_EQ(error.field, unknown->error().field);
  }
}

TEST_F(GatedSessionTest, ActorIsJudgedBeforeQuestionIsDurable) {
  store_.step_by_step();
  AskRequest request{asking_token("a")};
  request.key = "k";
  session_->ask(std::move(request), [](const core::Result<InteractionPtr>&) {});
  std::optional<core::Result<AnswerReceipt>> told;
  session_->answer("k", {}, {asking_token("b")},
                   [&](core::Result<AnswerReceipt> receipt) { told = std::move(receipt); });
  store_.proceed(10);
  scheduler_.run_ready();
  ASSERT_TRUE(told);
  EXPECT_FALSE(*told);
  EXPECT_TRUE(session_->is_pending("k"));
}

TEST_F(GatedSessionTest, Asker_CancelsItsOwn_AfterRestartToo) {
  ask_by(asking_token("a"));
  restart();
  EXPECT_EQ(cancel_by(asking_token("b")).error().code, Code::not_found);
  const auto receipt = cancel_by(asking_token("a"));
  ASSERT_TRUE(receipt) << receipt.error().message;
  EXPECT_TRUE(receipt->won);
}

TEST_F(GatedSessionTest, LosersReceipt_IsReading) {
  ask_by(asking_token("a"));
  ASSERT_TRUE(answer_by(answering_token(), "secret"));
  const auto blind = answer_by(token("b", true, false));
  ASSERT_TRUE(blind);
  EXPECT_FALSE(blind->won);
  EXPECT_EQ(blind->interaction, nullptr);
  const auto seeing = answer_by(token("b", true, true));
  ASSERT_TRUE(seeing && seeing->interaction);
  const auto own = cancel_by(asking_token("a"));
  ASSERT_TRUE(own && own->interaction) << "the asker reads the answer that it waited for";
  EXPECT_EQ(own->interaction->outcome.answer.contents.at(0).text, "secret");
}

TEST_F(GatedSessionTest, SameRequestOfAnotherToken_IsNotAttached) {
  ask_by(asking_token("a"));
  ask_by(asking_token("b"));
  ASSERT_THAT(fates_, SizeIs(1));
  EXPECT_EQ(fates_[0].second.error().code, Code::already_exists);
  ASSERT_TRUE(answer_by(answering_token()));
  ASSERT_THAT(fates_, SizeIs(2));
  ask_by(asking_token("b"));
  EXPECT_EQ(fates_.back().second.error().code, Code::already_exists) << "nor later";
  restart();
  ask_by(asking_token("b"));
  EXPECT_EQ(fates_.back().second.error().code, Code::already_exists) << "nor after a restart";
  ask_by(asking_token("a"));
  EXPECT_TRUE(fates_.back().second) << "the asker gets its answer again";
}

TEST_F(GatedSessionTest, SameRequestOfTokenThatMayRead_IsAttached) {
  ask_by(asking_token("a"));
  ask_by(token("b", false, true));
  ASSERT_TRUE(answer_by(answering_token()));
  ASSERT_THAT(fates_, SizeIs(2));
  EXPECT_TRUE(fates_[0].second && fates_[1].second);
}

TEST_F(GatedSessionTest, AskersOfOneLookUp_AreJudgedOneByOne) {
  ask_by(asking_token("a"));
  ASSERT_TRUE(answer_by(answering_token()));
  fates_.clear();
  store_.step_by_step();
  ask_by(token("b", false, true));
  ask_by(asking_token("a"));
  store_.proceed(10);
  scheduler_.run_ready();
  ASSERT_THAT(fates_, SizeIs(2));
  EXPECT_EQ(fates_[0].second.error().code, Code::already_exists)
      << "the first asker of an unknown key is its only one meanwhile";
  EXPECT_TRUE(fates_[1].second);
}

TEST_F(GatedSessionTest, ReaderThatLeaves_GivesNothingUp) {
  ask_by(asking_token("a"));
  restart();
  const WaiterId reader = ask_by(token("b", false, true));
  session_->abandon(reader);
  scheduler_.advance(2 * core::limits::kCallerGrace);
  EXPECT_TRUE(session_->is_pending("k"));
}

TEST_F(GatedSessionTest, ReaderThatOutlivesAsker_KeepsQuestionNoLonger) {
  const WaiterId asker = ask_by(asking_token("a"));
  const WaiterId reader = ask_by(token("b", false, true));
  session_->abandon(asker);
  scheduler_.advance(2 * core::limits::kCallerGrace);
  EXPECT_TRUE(session_->is_pending("k")) << "a caller waits";
  session_->abandon(reader);
  scheduler_.advance(2 * core::limits::kCallerGrace);
  EXPECT_FALSE(session_->is_pending("k"));
}

TEST_F(GatedSessionTest, ForeignWithdrawal_HasNoEffect) {
  ask_by(asking_token("a"));
  session_->withdraw("k", "Mine now.", asking_token("b"));
  session_->withdraw("k", "The run has ended.", Authority::of_run());
  scheduler_.run_ready();
  EXPECT_TRUE(session_->is_pending("k"));
  session_->withdraw("k", "Not needed.", asking_token("a"));
  scheduler_.run_ready();
  EXPECT_FALSE(session_->is_pending("k"));
}

}  // namespace
}  // namespace parley::session
