// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/openai_model.h"

#include <gmock/gmock.h>

#include "runtime/model/context.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/http_client/fake_fetcher.h"

namespace parley::model {
namespace {

using core::Code;
using core::Millis;
using http_client::FakeFetcher;
using http_client::FetchEnd;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kKey = "sk-very-secret";

std::string text_chunk(const std::string& text) {
  return R"(data: {"choices":[{"index":0,"delta":{"content":")" + text + "\"}}]}\n\n";
}
const std::string kEnd =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: "
    "[DONE]\n\n";

FakeFetcher::Answer streamed(std::vector<std::string> pieces,
                             FetchEnd::Kind end = FetchEnd::Kind::complete) {
  FakeFetcher::Answer answer;
  answer.headers = {{"content-type", "text/event-stream"}};
  answer.pieces = std::move(pieces);
  answer.end = end;
  return answer;
}

FakeFetcher::Answer refused(int status, std::string body,
                            std::vector<std::pair<std::string, std::string>> headers = {}) {
  FakeFetcher::Answer answer;
  answer.status = status;
  answer.headers = std::move(headers);
  answer.pieces = {std::move(body)};
  return answer;
}

FakeFetcher::Answer failed(FetchEnd::Kind kind, std::string failure = "It failed.") {
  FakeFetcher::Answer answer;
  answer.status = 0;
  answer.end = kind;
  answer.failure = std::move(failure);
  return answer;
}

class OpenAiModelTest : public ::testing::Test {
 protected:
  OpenAiModelTest() {
    auto endpoint = std::make_shared<OpenAiEndpoint>();
    endpoint->provider = "acme";
    endpoint->base_url = "https://models.example.org/v1";
    endpoint->api_key = kKey;
    endpoint->idle_timeout = Millis(77'000);
    endpoint->proxy = "http://proxy:3128";
    endpoint->temperature = 0.25;
    model_ = std::make_unique<OpenAiModel>(endpoint, "large", 128'000, fetcher_, entropy_);
  }

  void ask(bool with_retry = true) {
    ModelRequest request;
    request.messages = {Message::user(size_ == 0 ? "hello" : std::string(size_, 'x'))};
    request.thread_id = "session-7\r\nX-Evil: 1";
    ModelEvents events;
    events.on_text = [this](std::string_view text) { text_ += text; };
    if (with_retry) {
      events.on_retry = [this](const core::Error& error, Millis delay) {
        retries_.push_back(delay.count());
        retry_message_ = error.message;
        text_.clear();
      };
    }
    model_->ask(std::move(request), std::move(events), scheduler_, source_.token(),
                [this](core::Result<ModelReply> reply) {
                  EXPECT_FALSE(reply_.has_value());
                  reply_ = std::move(reply);
                });
    EXPECT_FALSE(reply_.has_value()) << "told inside the call";
  }
  // Runs until only a test's own exchange is pending.
  void settle() { scheduler_.advance(std::chrono::minutes(5)); }
  Code code() const {
    return reply_ && !reply_->has_value() ? reply_->error().code : Code::unknown;
  }
  std::string message() const {
    return reply_ && !reply_->has_value() ? reply_->error().message : std::string();
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{7};
  FakeFetcher fetcher_;
  core::CancelSource source_;
  std::unique_ptr<OpenAiModel> model_;
  std::string text_;
  std::vector<std::int64_t> retries_;
  std::string retry_message_;
  std::size_t size_ = 0;  // of the message in bytes; 0: a short one
  std::optional<core::Result<ModelReply>> reply_;
};

TEST_F(OpenAiModelTest, Text_IsStreamed_ReplyIsGiven) {
  ask();
  ASSERT_EQ(fetcher_.exchanges.size(), 1U);
  auto& exchange = *fetcher_.exchanges[0];
  exchange.head(200);
  exchange.body(text_chunk("Hel"));
  scheduler_.run_ready();
  EXPECT_EQ(text_, "Hel");
  EXPECT_FALSE(reply_.has_value());
  exchange.body(text_chunk("lo") + kEnd);
  exchange.end();
  scheduler_.run_ready();
  ASSERT_TRUE(reply_.has_value() && reply_->has_value());
  EXPECT_EQ((*reply_)->message.content, "Hello");
  EXPECT_EQ(text_, "Hello");
  EXPECT_EQ(scheduler_.timers(), 0U);
  EXPECT_EQ(model_->id(), "acme/large");
  EXPECT_EQ(model_->context_tokens(), 128'000U);
}

TEST_F(OpenAiModelTest, Request_FollowsEndpointSettings) {
  ask();
  const http_client::FetchRequest& request = fetcher_.exchanges.at(0)->request;
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.url, "https://models.example.org/v1/chat/completions");
  EXPECT_THAT(request.headers, Contains(std::string("Authorization: Bearer ") + kKey));
  EXPECT_THAT(request.headers, Contains(StartsWith("X-Request-Id: ")));
  EXPECT_THAT(request.headers, Contains("X-Thread-Id: session-7X-Evil:1"));
  EXPECT_THAT(request.body, HasSubstr(R"("model":"large")"));
  EXPECT_THAT(request.body, HasSubstr(R"("temperature":0.25)"));
  EXPECT_EQ(request.idle_timeout, Millis(77'000));
  EXPECT_EQ(request.proxy, "http://proxy:3128");
  EXPECT_EQ(request.max_redirects, 0);
}

TEST_F(OpenAiModelTest, AnswerStayingOpenAfterEnd_IsNotWaitedFor) {
  ask();
  fetcher_.exchanges[0]->head(200);
  fetcher_.exchanges[0]->body(text_chunk("x") + kEnd);
  scheduler_.run_ready();
  EXPECT_FALSE(reply_.has_value());
  scheduler_.advance(OpenAiModel::kLinger);
  ASSERT_TRUE(reply_.has_value() && reply_->has_value());
  EXPECT_TRUE(fetcher_.exchanges[0]->cancelled);
}

TEST_F(OpenAiModelTest, RetryAfter_IsHonoured) {
  fetcher_.will_answer(refused(429, "{}", {{"retry-after", "7"}}));
  fetcher_.will_answer(refused(503, "", {{"retry-after", "Tue, 14 Nov 2023 22:13:37 GMT"}}));
  fetcher_.will_answer(refused(429, "{}", {{"retry-after", "3600"}}));
  fetcher_.will_answer(streamed({text_chunk("ok") + kEnd}));
  ask();
  settle();
  ASSERT_TRUE(reply_.has_value() && reply_->has_value());
  // The clock starts at 22:13:20.
  EXPECT_THAT(retries_, ElementsAre(7'000, 10'000, OpenAiModel::kMaxRetryDelay.count()));
  EXPECT_THAT(retry_message_, StartsWith("acme: "));
}

TEST_F(OpenAiModelTest, RetryAfterNow_LeavesLeastPause) {
  for (int i = 0; i < 4; ++i) fetcher_.will_answer(refused(429, "{}", {{"retry-after", "0"}}));
  fetcher_.will_answer(streamed({text_chunk("ok") + kEnd}));
  ask();
  scheduler_.run_ready();
  EXPECT_EQ(fetcher_.exchanges.size(), 1U);
  settle();
  ASSERT_TRUE(reply_.has_value() && reply_->has_value());
  const auto least = OpenAiModel::kFirstRetryDelay.count();
  EXPECT_THAT(retries_, ElementsAre(least, least, least, least));
}

TEST_F(OpenAiModelTest, RefusalAsTooLong_LowersLimit_NamesSetting) {
  fetcher_.will_answer(refused(400, R"({"error":{"code":"context_length_exceeded","message":)"
                                    R"("This model's maximum context length is 4096 tokens."}})"));
  size_ = 40'000;
  ask();
  settle();
  EXPECT_EQ(code(), Code::out_of_range);
  EXPECT_THAT(message(), HasSubstr("context_tokens"));
  EXPECT_EQ(model_->context_tokens(), 4'096U);
}

TEST_F(OpenAiModelTest, RefusalWithoutUsefulLimit_HalvesMessages) {
  for (const char* said :
       {"Too long.", "The maximum context length is 90000.", "The maximum context length is 12."}) {
    for (const std::size_t tokens : {40'000U, 20'000U, 10'000U, 100U}) {
      reply_.reset();
      size_ = tokens * 4;
      fetcher_.will_answer(refused(400, R"({"error":{"code":"context_length_exceeded",)"
                                        R"("message":")" +
                                            std::string(said) + "\"}}"));
      ask();
      settle();
      EXPECT_EQ(code(), Code::out_of_range);
      const std::uint64_t room = context_room(model_->context_tokens(), {});
      EXPECT_LE(room, tokens / 2 + 4) << said;
      EXPECT_GE(room, 48U) << said;
      EXPECT_TRUE(model_->limit_is_learned());
    }
  }
}

TEST_F(OpenAiModelTest, FailedRequest_IsGivenUpAfterFiveAttempts) {
  for (int i = 0; i < 10; ++i) fetcher_.will_answer(refused(500, "broken"));
  ask();
  settle();
  EXPECT_EQ(code(), Code::unavailable);
  EXPECT_EQ(fetcher_.exchanges.size(), 5U);
  ASSERT_EQ(retries_.size(), 4U);
  for (std::size_t i = 0; i < retries_.size(); ++i) {
    EXPECT_GE(retries_[i], 375 << i);
    EXPECT_LE(retries_[i], 500 << i);
  }
}

TEST_F(OpenAiModelTest, UnreachedOrHungUpProvider_IsRetried) {
  fetcher_.will_answer(failed(FetchEnd::Kind::unreachable));
  fetcher_.will_answer(failed(FetchEnd::Kind::cut));
  fetcher_.will_answer(streamed({text_chunk("ha")}, FetchEnd::Kind::cut));
  fetcher_.will_answer(streamed({text_chunk("whole") + kEnd}));
  ask();
  settle();
  ASSERT_TRUE(reply_.has_value() && reply_->has_value());
  EXPECT_EQ((*reply_)->message.content, "whole");
  EXPECT_EQ(text_, "whole");
  EXPECT_EQ(retries_.size(), 3U);
}

TEST_F(OpenAiModelTest, StreamedText_IsRepeatedOnlyIfRevocable) {
  fetcher_.will_answer(failed(FetchEnd::Kind::unreachable));
  fetcher_.will_answer(streamed({text_chunk("half")}, FetchEnd::Kind::cut));
  fetcher_.will_answer(streamed({text_chunk("whole") + kEnd}));
  ask(false);
  settle();
  EXPECT_EQ(code(), Code::data_loss);
  EXPECT_EQ(text_, "half");
  EXPECT_EQ(fetcher_.exchanges.size(), 2U);
}

// The agent decides whether it asks again (ask_model()).
TEST_F(OpenAiModelTest, EmptyReply_IsGivenAsItIs) {
  fetcher_.will_answer(streamed({kEnd}));
  ask();
  settle();
  ASSERT_TRUE(reply_.has_value() && reply_->has_value());
  EXPECT_TRUE((*reply_)->message.content.empty());
  EXPECT_EQ(fetcher_.exchanges.size(), 1U);
}

TEST_F(OpenAiModelTest, Refusal_IsToldAtOnceWithoutKey) {
  fetcher_.will_answer(
      refused(401, std::string(R"({"error":{"message":"Incorrect key )") + kKey + R"( of you"}})"));
  ask();
  settle();
  EXPECT_EQ(code(), Code::unauthenticated);
  EXPECT_EQ(fetcher_.exchanges.size(), 1U);
  EXPECT_THAT(message(), HasSubstr("Incorrect key *** of you"));
  EXPECT_THAT(message(), StartsWith("acme: "));
  EXPECT_THAT(message(), Not(HasSubstr(kKey)));
}

TEST_F(OpenAiModelTest, RefusedOption_IsLeftOutFromThenOn) {
  fetcher_.will_answer(
      refused(400, R"({"error":{"message":"Unrecognized argument: stream_options"}})"));
  fetcher_.will_answer(
      refused(422, R"({"detail":"temperature does not support 0.25 with this model"})"));
  fetcher_.will_answer(streamed({text_chunk("x") + kEnd}));
  ask();
  settle();
  ASSERT_TRUE(reply_.has_value() && reply_->has_value());
  EXPECT_THAT(retries_, IsEmpty());
  reply_.reset();
  ask();
  const std::string& body = fetcher_.exchanges.at(3)->request.body;
  EXPECT_THAT(body, Not(HasSubstr("stream_options")));
  EXPECT_THAT(body, Not(HasSubstr("temperature")));
}

TEST_F(OpenAiModelTest, SecondRefusalOfSameOption_IsError) {
  for (int i = 0; i < 4; ++i) {
    fetcher_.will_answer(refused(400, R"({"error":{"message":"stream_options"}})"));
  }
  ask();
  settle();
  EXPECT_EQ(code(), Code::invalid_argument);
  EXPECT_EQ(fetcher_.exchanges.size(), 2U);
}

TEST_F(OpenAiModelTest, StalledModel_MissesDeadline) {
  fetcher_.will_answer(streamed({text_chunk("x")}, FetchEnd::Kind::timed_out));
  ask();
  settle();
  EXPECT_EQ(code(), Code::deadline_exceeded);
  EXPECT_EQ(fetcher_.exchanges.size(), 1U);
}

TEST_F(OpenAiModelTest, EndlessReply_IsStoppedAtLimit) {
  ask();
  fetcher_.exchanges[0]->head(200);
  for (int i = 0; i < 100; ++i) {
    fetcher_.exchanges[0]->body(text_chunk(std::string(1U << 20U, 'x')));
  }
  scheduler_.run_ready();
  EXPECT_TRUE(fetcher_.exchanges[0]->cancelled);
  EXPECT_EQ(code(), Code::resource_exhausted);
  EXPECT_LE(text_.size(), kMaxReplyBytes);
}

TEST_F(OpenAiModelTest, Cancel_EndsExchangeAtOnce) {
  ask();
  fetcher_.exchanges[0]->head(200);
  fetcher_.exchanges[0]->body(text_chunk("x"));
  scheduler_.run_ready();
  source_.cancel("enough");
  EXPECT_FALSE(reply_.has_value());
  scheduler_.run_ready();
  EXPECT_EQ(code(), Code::cancelled);
  EXPECT_TRUE(fetcher_.exchanges[0]->cancelled);
}

TEST_F(OpenAiModelTest, Cancel_BetweenAttempts_EndsWait) {
  fetcher_.will_answer(refused(429, "{}", {{"retry-after", "20"}}));
  ask();
  scheduler_.run_ready();
  ASSERT_EQ(retries_.size(), 1U);
  source_.cancel("enough");
  EXPECT_FALSE(reply_.has_value());
  scheduler_.run_ready();
  EXPECT_EQ(code(), Code::cancelled);
  EXPECT_EQ(scheduler_.timers(), 0U);
  EXPECT_EQ(fetcher_.exchanges.size(), 1U);
}

TEST_F(OpenAiModelTest, Model_MayBeDestroyedWhileAnswering) {
  ask();
  model_.reset();
  fetcher_.exchanges[0]->head(200);
  fetcher_.exchanges[0]->body(text_chunk("x") + kEnd);
  fetcher_.exchanges[0]->end();
  scheduler_.run_ready();
  EXPECT_TRUE(reply_.has_value() && reply_->has_value());
}

TEST_F(OpenAiModelTest, AnswerInSingleObject_IsReply) {
  fetcher_.will_answer(
      streamed({R"({"choices":[{"message":{"content":"plain"},"finish_reason":"stop"}]})"}));
  ask();
  settle();
  ASSERT_TRUE(reply_.has_value() && reply_->has_value());
  EXPECT_EQ(text_, "plain");
}

}  // namespace
}  // namespace parley::model
