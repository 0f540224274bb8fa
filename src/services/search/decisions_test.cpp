// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/session/approval.h"
#include "model/session/interaction.h"
#include "services/search/search_index.h"
#include "tests/support/sql/store_test.h"

namespace parley::search {
namespace {

using session::Action;
using session::ActionKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Action kTest{"claude", "Bash", ActionKind::command, "npm test"};

class DecisionsTest : public sql::StoreTest {
 protected:
  void SetUp() override {
    auto opened = SearchIndex::open(place_, "epoch");
    ASSERT_TRUE(opened) << opened.error().message;
    index_ = std::move(*opened);
  }

  // A permission prompt as hooks ask it, and the answer; without one it waits.
  void decide(const Action& action, const std::string& answer) {
    session::Interaction asked = prompt_for(action);
    if (!answer.empty()) {
      session::Content words;
      words.text = answer;
      asked.outcome.answer.contents.push_back(words);
    }
    take(asked, !answer.empty());
  }
  session::Interaction prompt_for(const std::optional<Action>& action) {
    session::Interaction asked;
    asked.id = asked.key = "q" + std::to_string(seq_ + 1);
    asked.session = "s";
    asked.prompt.text = "May it?";
    asked.prompt.agent_name = "Claude Code";
    asked.prompt.project_directory = "/srv/till";
    asked.prompt.action = action;
    session::Question question;
    question.choices = {{"Allow once", {}}, {"Always 1", "x"}, {"Deny", {}}};
    asked.prompt.questions = {question};
    return asked;
  }
  void take(session::Interaction asked, bool answered) {
    const event::SessionRow row = row_of("anna");
    std::vector<Change> changes{
        change_of(event_of("interaction.opened", opened_payload(asked)), row)};
    if (answered) {
      asked.state = session::InteractionState::answered;
      asked.outcome.by = {{"t1", "Pixel"}, session::Channel::push};
      changes.push_back(change_of(event_of("interaction.closed", closed_payload(asked)), row));
    }
    const auto taken = index_->take({"s", 1, seq_, std::move(changes)});
    ASSERT_TRUE(taken) << taken.error().message;
  }
  static event::SessionRow row_of(const std::string& owner) {
    event::SessionRow row;
    row.id = "s";
    row.owner = owner;
    return row;
  }
  event::Event event_of(const std::string& type, std::string payload) {
    event::Event event;
    event.session = "s";
    event.seq = ++seq_;
    event.type = type;
    event.payload = std::move(payload);
    event.at = core::from_unix_ms(static_cast<std::int64_t>(seq_) * 1'000);
    return event;
  }
  std::vector<std::string> verdicts(DecisionQuery query = {}) {
    query.owner = "anna";
    const auto page = index_->decisions(query);
    EXPECT_TRUE(page) << page.error().message;
    std::vector<std::string> out;
    for (const Entry& entry : page->entries) out.emplace_back(session::verdict_name(entry.verdict));
    return out;
  }
  std::uint64_t habits() {
    const auto found = index_->habits("anna");
    EXPECT_TRUE(found) << found.error().message;
    return found->size();
  }

  std::unique_ptr<SearchIndex> index_;
  std::uint64_t seq_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Engines, DecisionsTest, sql::each_engine(), sql::engine_name);

TEST_P(DecisionsTest, Answers_CountAsHooksTakeThem) {
  const std::vector<std::pair<const char*, const char*>> answers = {
      {"Allow once", "allowed"},
      {"Q: Bash\nA: Allow once", "allowed"},
      {"允许一次", "allowed"},
      {"Always 1", "lasting"},
      {"始终允许 2", "lasting"},
      {"Approve, accept edits", "lasting"},
      {"Deny", "denied"},
      {"Deny, too slow", "denied"},
      {"Deny and stop", "denied"},
      {"Use pnpm", "denied"},
      {"Always use pnpm, please", "denied"},
  };
  std::vector<std::string> expected;
  for (const auto& [answer, verdict] : answers) {
    decide(kTest, answer);
    expected.insert(expected.begin(), verdict);
  }
  EXPECT_EQ(verdicts(), expected);
}

TEST_P(DecisionsTest, NamedChoices_CountBeforeTheText) {
  const auto named = [&](const char* choices, const char* texts) {
    session::Interaction asked = prompt_for(kTest);
    session::Content words;
    words.text = "@team Allow once";
    asked.outcome.answer.contents.push_back(words);
    asked.outcome.answer.meta = {{"choices", choices}, {"texts", texts}};
    take(asked, true);
    const std::vector<std::string> found = verdicts();
    return found.empty() ? std::string() : found.front();
  };
  EXPECT_EQ(named(R"([["Allow once"]])", R"(["quickly"])"), "");
  EXPECT_EQ(named(R"([["Allow once","Deny"]])", R"([""])"), "");
  EXPECT_EQ(named(R"([["Allow once"]])", R"([""])"), "allowed");
  EXPECT_EQ(named(R"([["Deny"]])", R"(["too slow"])"), "denied");
  EXPECT_EQ(named(R"([["Always 1"]])", R"([""])"), "lasting");
  EXPECT_EQ(named(R"([[]])", R"(["use pnpm"])"), "denied");
  EXPECT_EQ(named("[", "["), "denied") << "of no known form: the text counts";
}

TEST_P(DecisionsTest, AnswersThatDecideNothing_AreNone) {
  for (const char* answer : {"Answer in the terminal", "Edit command", "修改命令", "OK",
                             "yes, do it", "Allow once, quickly", ""}) {
    decide(kTest, answer);
  }
  session::Interaction question = prompt_for(kTest);
  question.prompt.questions.front().choices = {{"Allow", {}}, {"Later", {}}};  // none refuses
  session::Content words;
  words.text = "Allow";
  question.outcome.answer.contents.push_back(words);
  take(question, true);
  EXPECT_THAT(verdicts(), IsEmpty());
}

TEST_P(DecisionsTest, ApprovalsOfRuns_CountByTheirVerdict) {
  for (const session::ApprovalVerdict& verdict :
       {session::ApprovalVerdict{true, {}, false}, session::ApprovalVerdict{true, {}, true},
        session::ApprovalVerdict{false, "no", false}}) {
    session::Interaction asked = prompt_for(kTest);
    asked.kind = session::InteractionKind::tool_approval;
    asked.prompt.questions.clear();
    asked.outcome.answer = session::approval_answer(verdict);
    take(asked, true);
  }
  EXPECT_THAT(verdicts(), ElementsAre("denied", "lasting", "allowed"));
}

TEST_P(DecisionsTest, Like_IsTheSameCommandOfAnyAgentAndTheSameFileOfOneTool) {
  decide(kTest, "Allow once");
  decide({"codex", "shell", ActionKind::command, "npm test"}, "Deny");
  decide({"claude", "Bash", ActionKind::command, "npm test --watch"}, "Allow once");
  decide({"claude", "Edit", ActionKind::file, "npm test"}, "Allow once");
  decide({"claude", "Write", ActionKind::file, "npm test"}, "Allow once");
  DecisionQuery like;
  like.like = kTest;
  EXPECT_THAT(verdicts(like), ElementsAre("denied", "allowed"));
  const auto tally = index_->tally("anna", kTest);
  ASSERT_TRUE(tally);
  EXPECT_EQ(tally->allowed, 1U);
  EXPECT_EQ(tally->denied, 1U);
  like.like = Action{"claude", "Edit", ActionKind::file, "npm test"};
  EXPECT_THAT(verdicts(like), ElementsAre("allowed"));
  EXPECT_EQ(index_->tally("ben", kTest)->allowed, 0U) << "decisions of another owner";
}

TEST_P(DecisionsTest, Filters_AndPages) {
  decide(kTest, "Allow once");
  decide(kTest, "Deny");
  take(prompt_for(std::nullopt), false);
  DecisionQuery query;
  query.verdicts = 1U << static_cast<unsigned>(Verdict::denied);
  EXPECT_THAT(verdicts(query), ElementsAre("denied"));
  query = {};
  query.project = "till";
  EXPECT_THAT(verdicts(query), ElementsAre("denied", "allowed"));
  query.agent = "Codex";
  EXPECT_THAT(verdicts(query), IsEmpty());
  query = {};
  query.owner = "anna";
  query.limit = 1;
  const auto first = index_->decisions(query);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->more);
  EXPECT_EQ(first->entries.front().channel, "push");
  EXPECT_EQ(first->entries.front().person, "Pixel");
  EXPECT_EQ(first->entries.front().action, kTest);
  query.before = Place{first->entries.front().at, first->entries.front().id};
  EXPECT_THAT(verdicts(query), ElementsAre("allowed"));
}

TEST_P(DecisionsTest, Habit_IsAllowedFiveTimesAndNeverDenied) {
  for (std::uint64_t i = 1; i < kHabitCount; ++i) decide(kTest, "Allow once");
  EXPECT_EQ(habits(), 0U);
  decide(kTest, "Allow once");
  const auto found = index_->habits("anna");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().command, "npm test");
  EXPECT_EQ(found->front().agent, "claude");
  EXPECT_EQ(found->front().allowed, kHabitCount);
  EXPECT_LT(found->front().first_at, found->front().last_at);
  decide(kTest, "Deny");
  EXPECT_EQ(habits(), 0U);
  for (std::uint64_t i = 0; i <= kHabitCount; ++i) {
    decide({"claude", "Edit", ActionKind::file, "/srv/till/a.py"}, "Allow once");
  }
  EXPECT_EQ(habits(), 0U) << "a file is no command";
}

}  // namespace
}  // namespace parley::search
