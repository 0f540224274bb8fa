// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/ask_question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/core/fake_scheduler.h"

namespace parley::tool {
namespace {

using core::Code;
using core::Result;
using session::Answer;
using testing::HasSubstr;
using testing::SizeIs;

// An inbox with questions that the test answers.
class FakeInbox final : public Inbox {
 public:
  struct Asked {
    std::string owner;
    std::string key;
    session::InteractionKind kind;
    session::Prompt prompt;
    Done done;
  };

  void ask(std::string owner, std::string key, session::InteractionKind kind,
           session::Prompt prompt, core::Scheduler&, const core::CancelToken&, Done done) override {
    asked.push_back({std::move(owner), std::move(key), kind, std::move(prompt), std::move(done)});
  }
  void withdraw(std::string, std::string, std::string) override {}

  std::vector<Asked> asked;
};

class AskQuestionTest : public testing::Test {
 protected:
  void ask(const boost::json::object& arguments, std::string call = "call_1") {
    result_.reset();
    ToolContext context;
    context.owner = "t1";
    context.run_id = "run-1";
    context.call_id = std::move(call);
    context.agent = "react";
    context.model = "offline/demo";
    context.working_folder = "/project";
    context.scheduler = &scheduler_;
    tool_->run(std::move(context), arguments, [this](ToolResult result) { result_ = result; });
    EXPECT_FALSE(result_);
    scheduler_.run_ready();
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  FakeInbox inbox_;
  ToolPtr tool_ = make_ask_question(inbox_);
  std::optional<ToolResult> result_;
};

TEST_F(AskQuestionTest, Question_GoesToOwner_AnswerIsResult) {
  ask({{"question", "Which way?"}});
  ASSERT_THAT(inbox_.asked, SizeIs(1));
  const FakeInbox::Asked& asked = inbox_.asked[0];
  EXPECT_EQ(asked.owner, "t1");
  EXPECT_EQ(asked.kind, session::InteractionKind::question);
  EXPECT_EQ(asked.prompt.text, "Which way?");
  EXPECT_EQ(asked.prompt.agent_name, "react");
  EXPECT_EQ(asked.prompt.model_name, "offline/demo");
  EXPECT_EQ(asked.prompt.project_directory, "/project");
  EXPECT_TRUE(asked.prompt.questions.empty()) << "a plain question";
  EXPECT_FALSE(result_);
  Answer answer;
  answer.contents.resize(2);
  answer.contents[0].text = "left";
  answer.contents[1].type = session::Content::Type::image;
  answer.contents[1].mime_type = "image/png";
  answer.contents[1].data = "12345";
  inbox_.asked[0].done(answer);
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->content, "left\n[attached: image/png, 5 bytes; it cannot be shown to you]");
  EXPECT_FALSE(result_->is_error);
}

TEST_F(AskQuestionTest, OffersChoices) {
  ask({{"question", "Which way?"},
       {"header", "Way"},
       {"choices", {{{"label", "left"}, {"description", "by the river"}}, "right"}},
       {"custom", false}});
  ASSERT_THAT(inbox_.asked, SizeIs(1));
  ASSERT_THAT(inbox_.asked[0].prompt.questions, SizeIs(1));
  const session::Question& question = inbox_.asked[0].prompt.questions[0];
  EXPECT_EQ(question.header, "Way");
  EXPECT_EQ(question.choices,
            (std::vector<session::Choice>{{"left", "by the river"}, {"right", ""}}));
  EXPECT_FALSE(question.custom);
}

TEST_F(AskQuestionTest, Key_IsStablePerCallAndQuestion) {
  ask({{"question", "Which way?"}});
  ask({{"question", "Which way?"}});
  ask({{"question", "How far?"}});
  ask({{"question", "Which way?"}}, "call_2");
  ask({{"question", "Which way?"}}, std::string(1'000, 'x'));
  EXPECT_EQ(inbox_.asked[0].key, inbox_.asked[1].key);
  EXPECT_NE(inbox_.asked[0].key, inbox_.asked[2].key) << "models reuse call ids";
  EXPECT_NE(inbox_.asked[0].key, inbox_.asked[3].key);
  EXPECT_LE(inbox_.asked[4].key.size(), 256U);
}

TEST_F(AskQuestionTest, MissingAnswer_IsErrorInWords) {
  ask({{"question", "Which way?"}});
  inbox_.asked[0].done(core::fail(Code::deadline_exceeded, "late"));
  ASSERT_TRUE(result_);
  EXPECT_TRUE(result_->is_error);
  EXPECT_THAT(result_->content, HasSubstr("Nobody answered"));
}

TEST_F(AskQuestionTest, BadArguments_AreNamed_NobodyIsAsked) {
  ask(boost::json::object());
  EXPECT_THAT(result_->content, HasSubstr("question"));
  ask({{"question", "Which?"}, {"choices", {1, 2}}});
  EXPECT_THAT(result_->content, HasSubstr("choices"));
  EXPECT_TRUE(result_->is_error);
  EXPECT_TRUE(inbox_.asked.empty());
}

}  // namespace
}  // namespace parley::tool
