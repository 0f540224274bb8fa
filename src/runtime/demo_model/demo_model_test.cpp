// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/demo_model/demo_model.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "base/core/utf8.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/demo_model/sample_tools.h"

namespace parley::demo_model {
namespace {

using core::Code;
using model::Message;
using model::Model;
using model::ModelEvents;
using model::ModelReply;
using model::ModelRequest;
using model::ToolCall;

class DemoModelTest : public ::testing::Test {
 protected:
  ModelRequest request(std::string text) {
    ModelRequest out;
    out.messages = {Message::system("You are an agent."), Message::user(std::move(text))};
    out.tools = testing::own_tools();
    return out;
  }
  void ask(Model& model, ModelRequest asked) {
    ModelEvents events;
    events.on_text = [this](std::string_view piece) { add(text_, piece); };
    events.on_reasoning = [this](std::string_view piece) { add(reasoning_, piece); };
    events.on_tool_call = [this](std::size_t index, std::string_view id, std::string_view name,
                                 std::string_view arguments) {
      EXPECT_FALSE(result_.has_value());
      EXPECT_TRUE(core::is_utf8(arguments));
      ToolCall& call = calls_[index];
      call.id += id;
      call.name += name;
      call.arguments += arguments;
      ++pieces_;
    };
    model.ask(std::move(asked), std::move(events), scheduler_, cancel_.token(),
              [this](core::Result<ModelReply> reply) {
                EXPECT_FALSE(result_.has_value()) << "told twice";
                result_ = std::move(reply);
              });
  }
  void add(std::string& to, std::string_view piece) {
    EXPECT_FALSE(result_.has_value()) << "something came after the end";
    EXPECT_TRUE(core::is_utf8(piece));
    to += piece;
    ++pieces_;
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::CancelSource cancel_;
  std::shared_ptr<Model> model_ = make_demo_model({core::Millis(0)});
  std::string text_;
  std::string reasoning_;
  std::map<std::size_t, ToolCall> calls_;
  int pieces_ = 0;
  std::optional<core::Result<ModelReply>> result_;
};

TEST_F(DemoModelTest, Model_HasPlainName) {
  EXPECT_EQ(model_->id(), "offline/demo");
  EXPECT_GT(model_->context_tokens(), 0U);
}

TEST_F(DemoModelTest, Stream_MatchesReply) {
  ask(*model_, request("你好"));
  EXPECT_EQ(pieces_, 0) << "something came inside the call";
  scheduler_.run_ready();
  ASSERT_TRUE(result_ && result_->has_value());
  EXPECT_EQ(text_, (*result_)->message.content);
  EXPECT_EQ(reasoning_, (*result_)->message.reasoning);
  EXPECT_GT(pieces_, 10);
  EXPECT_EQ((*result_)->finish_reason, "stop");
}

TEST_F(DemoModelTest, Calls_AreStreamedInPieces) {
  ask(*model_, request("write \"" + std::string(200, 'x') + "中文\" to a.txt"));
  scheduler_.run_ready();
  ASSERT_TRUE(result_ && result_->has_value());
  EXPECT_EQ((*result_)->finish_reason, "tool_calls");
  ASSERT_EQ((*result_)->message.tool_calls.size(), 1U);
  EXPECT_EQ(calls_[0], (*result_)->message.tool_calls[0]);
  EXPECT_EQ(calls_[0].id, "call_1");
  EXPECT_EQ(reasoning_, (*result_)->message.reasoning);
  EXPECT_FALSE(reasoning_.empty());
}

TEST_F(DemoModelTest, CountsTokens) {
  ask(*model_, request("hello"));
  scheduler_.run_ready();
  const runtime::Usage usage = (*result_)->usage.value();
  EXPECT_GT(usage.prompt_tokens, 500U);
  EXPECT_GT(usage.completion_tokens, 30U);
  EXPECT_EQ(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
}

TEST_F(DemoModelTest, SameRequest_GivesSameReply) {
  ask(*model_, request("read a.txt"));
  scheduler_.run_ready();
  const Message first = (*result_)->message;
  result_.reset();
  ask(*make_demo_model({core::Millis(0)}), request("read a.txt"));
  scheduler_.run_ready();
  EXPECT_EQ((*result_)->message, first);
}

TEST_F(DemoModelTest, Reply_TakesItsTime) {
  const std::shared_ptr<Model> slow = make_demo_model({core::Millis(10)});
  ask(*slow, request("hello"));
  scheduler_.run_ready();
  EXPECT_EQ(pieces_, 0);
  scheduler_.advance(core::Millis(10));
  EXPECT_EQ(pieces_, 1);
  scheduler_.advance(core::Millis(50));
  EXPECT_EQ(pieces_, 6);
  scheduler_.advance(core::Millis(5'000));
  EXPECT_TRUE(result_.has_value());
  EXPECT_EQ(scheduler_.timers(), 0U);
}

TEST_F(DemoModelTest, Cancel_EndsReplyAtOnce) {
  const std::shared_ptr<Model> slow = make_demo_model({core::Millis(10)});
  ask(*slow, request("hello"));
  scheduler_.advance(core::Millis(30));
  cancel_.cancel("Enough.");
  ASSERT_TRUE(result_.has_value());
  EXPECT_EQ(result_->error().code, Code::cancelled);
  EXPECT_EQ(scheduler_.timers(), 0U);
  scheduler_.advance(core::Millis(1'000));
  EXPECT_EQ(pieces_, 3);
}

TEST_F(DemoModelTest, CancelInsidePiece_IsLastCallback) {
  ModelEvents events;
  int pieces = 0;
  events.on_text = [&](std::string_view) {
    ++pieces;
    cancel_.cancel("Enough.");
  };
  model_->ask(request("hello"), std::move(events), scheduler_, cancel_.token(),
              [this](core::Result<ModelReply> reply) { result_ = std::move(reply); });
  scheduler_.run_ready();
  EXPECT_EQ(pieces, 1);
  EXPECT_EQ(result_->error().code, Code::cancelled);
}

TEST_F(DemoModelTest, RequestCancelledBeforeStart_IsToldLater) {
  cancel_.cancel("Enough.");
  ask(*model_, request("hello"));
  EXPECT_FALSE(result_.has_value());
  scheduler_.run_ready();
  EXPECT_EQ(result_->error().code, Code::cancelled);
}

TEST_F(DemoModelTest, Reply_OutlivesModel_NeedsNoListeners) {
  model_->ask(request("hello"), {}, scheduler_, cancel_.token(),
              [this](core::Result<ModelReply> reply) { result_ = std::move(reply); });
  model_.reset();
  scheduler_.run_ready();
  EXPECT_TRUE(result_ && result_->has_value());
}

TEST_F(DemoModelTest, OverlongRequest_IsRefused) {
  ask(*model_, request(std::string(400'000, 'x')));
  scheduler_.run_ready();
  ASSERT_TRUE(result_.has_value());
  EXPECT_EQ(result_->error().code, Code::invalid_argument);
}

TEST_F(DemoModelTest, LongReply_ComesInBoundedPieces) {
  ask(*model_, request("say " + std::string(16'000, 'x')));
  scheduler_.run_ready();
  ASSERT_TRUE(result_ && result_->has_value());
  EXPECT_LT(pieces_, 700);
}

// Texts in which each mark makes a search look far ahead; quadratic time would take more than a
// minute.
TEST_F(DemoModelTest, HostileTexts_AreReadInLinearTime) {
  for (const char* piece : {"“ \"a\" ", "{\"a\":", ", read ", "ask me, read ", "`", "a.b/",
                            "计划：然后", "'x", "```", "\n\n", "{}", "the node "}) {
    std::string text;
    while (text.size() < 200'000) text += piece;
    result_.reset();
    ask(*model_, request(text));
    scheduler_.run_ready();
    EXPECT_TRUE(result_ && result_->has_value()) << piece;
  }
}

}  // namespace
}  // namespace parley::demo_model
