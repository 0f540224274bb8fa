// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/assistant_client.h"

#include <agentassist.pb.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "tests/support/core/fake_scheduler.h"

namespace parley::mcp {
namespace {

using std::chrono::seconds;

// HTTP whose requests the test answers.
class FakeHttp final : public http_client::HttpClient {
 public:
  http_client::TransferId post_to(http_client::HttpPost request, Done done) override {
    sent.push_back(std::move(request));
    open.emplace(++last_id, std::move(done));
    return last_id;
  }
  void abort(http_client::TransferId transfer) override { aborted += open.erase(transfer); }

  void answer(http_client::TransferId id, http_client::HttpAnswer answer) {
    auto done = std::move(open.at(id));
    open.erase(id);
    done(std::move(answer));
  }

  std::vector<http_client::HttpPost> sent;
  std::map<http_client::TransferId, Done> open;
  http_client::TransferId last_id = 0;
  std::size_t aborted = 0;
};

http_client::HttpAnswer refused() {
  http_client::HttpAnswer answer;
  answer.failure = "Connection refused";
  return answer;
}

http_client::HttpAnswer lost() {
  http_client::HttpAnswer answer;
  answer.failure = "Empty reply from server";
  answer.sent = true;
  return answer;
}

http_client::HttpAnswer answer_of(int status, std::string body) {
  http_client::HttpAnswer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

std::string response(bool is_error, const std::map<std::string, std::string>& meta,
                     const std::string& text) {
  agentassistproto::AskQuestionResponse response;
  response.set_iserror(is_error);
  for (const auto& [name, word] : meta) (*response.mutable_meta())[name] = word;
  if (!text.empty()) {
    auto& content = *response.add_contents();
    content.set_type(1);
    content.mutable_text()->set_text(text);
  }
  return response.SerializeAsString();
}

agentassistproto::AskQuestionRequest decoded(const http_client::HttpPost& post) {
  agentassistproto::AskQuestionRequest request;
  EXPECT_TRUE(request.ParseFromString(post.body));
  return request;
}

class AssistantClientTest : public ::testing::Test {
 protected:
  CallId ask(core::Millis timeout = seconds(600),
             AssistantCall::Kind kind = AssistantCall::Kind::ask_question) {
    AssistantCall call;
    call.kind = kind;
    call.project_directory = "/p";
    call.text = "q?";
    call.client_name = "c";
    call.timeout = timeout;
    return client_.start(std::move(call), [this](AssistantOutcome outcome) {
      outcome_.emplace(std::move(outcome));
    });
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{1};
  FakeHttp http_;
  ServerAccess endpoint_{"http://server", "secret", "", "a test", ""};
  std::optional<AssistantOutcome> outcome_;
  AssistantClient client_{scheduler_, entropy_, http_, [this] { return endpoint_; }};
};

TEST_F(AssistantClientTest, AnswerForOtherArguments_IsAnError) {
  for (const bool same : {true, false}) {
    AssistantCall call;
    call.text = "q?";
    call.timeout = seconds(600);
    call.arguments_sha256 = std::string(64, 'a');
    outcome_.reset();
    client_.start(std::move(call),
                  [this](AssistantOutcome outcome) { outcome_.emplace(std::move(outcome)); });
    EXPECT_EQ(http_.sent.back().headers.back(), "Parley-Arguments-SHA256: " + std::string(64, 'a'));
    const std::map<std::string, std::string> meta = {
        {"parley.arguments_sha256", std::string(64, same ? 'a' : 'b')}};
    http_.answer(http_.last_id, answer_of(200, response(false, meta, "Allow once")));
    scheduler_.run_ready();
    ASSERT_TRUE(outcome_);
    EXPECT_EQ(outcome_->has_value(), same);
  }
}

TEST_F(AssistantClientTest, Question_IsConnectUnaryCall) {
  ask();
  ASSERT_EQ(http_.sent.size(), 1U);
  EXPECT_EQ(http_.sent[0].url, "http://server/agentassistproto.SrvAgentAssist/AskQuestion");
  EXPECT_EQ(http_.sent[0].headers[0], "Content-Type: application/proto");
  EXPECT_EQ(http_.sent[0].headers[1], "Connect-Protocol-Version: 1");
  const auto request = decoded(http_.sent[0]);
  EXPECT_EQ(request.id().size(), 36U);
  EXPECT_EQ(request.usertoken(), "secret");
  EXPECT_EQ(request.timestamp(), core::to_unix_ms(clock_.wall()));
  EXPECT_EQ(request.request().question(), "q?");
  EXPECT_EQ(request.request().timeout(), 600);
  EXPECT_EQ(request.request().mcpclientname(), "c");
}

TEST_F(AssistantClientTest, Answer_IsReturned) {
  ask();
  http_.answer(1, answer_of(200, response(false, {{"k", "v"}}, "yes")));
  ASSERT_TRUE(outcome_ && outcome_->has_value());
  EXPECT_EQ((*outcome_)->contents.at(0).text, "yes");
  EXPECT_EQ((*outcome_)->meta.at("k"), "v");
  EXPECT_EQ(scheduler_.timers(), 0U);
}

TEST_F(AssistantClientTest, Questions_AreSentWhole) {
  AssistantCall call;
  call.questions = {{"Which?", "Colour", {{"red", "warm"}, {"blue", {}}}, true, true}};
  call.timeout = seconds(60);
  client_.start(std::move(call), [](AssistantOutcome) {});
  const auto question = decoded(http_.sent.at(0)).request().questions(0);
  EXPECT_EQ(question.question(), "Which?");
  EXPECT_EQ(question.header(), "Colour");
  EXPECT_TRUE(question.multiple() && question.custom());
  ASSERT_EQ(question.options_size(), 2);
  EXPECT_EQ(question.options(0).label(), "red");
  EXPECT_EQ(question.options(0).description(), "warm");
}

TEST_F(AssistantClientTest, Contents_AreReadByType_FaultyOnesBecomeText) {
  agentassistproto::AskQuestionResponse response;
  const auto add_image = [&response](const std::string& data) {
    auto& content = *response.add_contents();
    content.set_type(2);
    content.mutable_image()->set_data(data);
    content.mutable_image()->set_mime_type("image/png");
  };
  add_image("aGk=");
  add_image("not base64!");
  auto& file = *response.add_contents();
  file.set_type(4);
  file.mutable_embedded_resource()->set_uri("file://a.txt");
  file.mutable_embedded_resource()->set_mime_type("text/plain");
  file.mutable_embedded_resource()->set_data("hi");
  response.add_contents()->set_type(9);
  ask();
  http_.answer(1, answer_of(200, response.SerializeAsString()));
  ASSERT_TRUE(outcome_ && outcome_->has_value());
  using core::Content;
  const std::vector<Content> expected = {
      {Content::Type::image, {}, "image/png", {}, "hi"},
      {Content::Type::text,
       "The image (image/png) that belongs here is not valid base64 and was left out.",
       {},
       {},
       {}},
      {Content::Type::resource, {}, "text/plain", "file://a.txt", "hi"},
      {Content::Type::text, "A content of an unknown type (9) was left out.", {}, {}, {}}};
  EXPECT_EQ((*outcome_)->contents, expected);
}

TEST_F(AssistantClientTest, ServerAway_SameRequestIsRepeated) {
  ask();
  http_.answer(1, refused());
  scheduler_.advance(seconds(1));
  ASSERT_EQ(http_.sent.size(), 2U);
  http_.answer(2, answer_of(503, "draining"));
  scheduler_.advance(seconds(1));
  ASSERT_EQ(http_.sent.size(), 3U);
  http_.answer(3, answer_of(200, response(true, {{"error", "shutting_down"}}, "")));
  scheduler_.advance(seconds(1));
  ASSERT_EQ(http_.sent.size(), 4U);
  for (const http_client::HttpPost& post : http_.sent) EXPECT_EQ(post.body, http_.sent[0].body);
  EXPECT_FALSE(outcome_.has_value());
  http_.answer(4, answer_of(200, response(false, {}, "yes")));
  ASSERT_TRUE(outcome_ && outcome_->has_value());
}

TEST_F(AssistantClientTest, Pauses_GrowUpToLimit) {
  ask(std::chrono::hours(1));
  std::size_t first_minute = 0;
  for (int second = 0; second < 600; ++second) {
    while (!http_.open.empty()) http_.answer(http_.open.begin()->first, refused());
    scheduler_.advance(seconds(1));
    if (second == 59) first_minute = http_.sent.size();
  }
  EXPECT_LT(first_minute, 30U);
  EXPECT_GT(http_.sent.size(), 90U);  // pauses are at most 6.25 s
}

TEST_F(AssistantClientTest, EachAttempt_LooksUpServer) {
  ask();
  http_.answer(1, refused());
  endpoint_.base_url = "http://elsewhere";
  scheduler_.advance(seconds(1));
  EXPECT_TRUE(http_.sent.at(1).url.starts_with("http://elsewhere/"));
}

TEST_F(AssistantClientTest, NoServerUntilDeadline_ExplainsHowToStart) {
  ask(seconds(10));
  for (int second = 0; second < 10; ++second) {
    while (!http_.open.empty()) http_.answer(http_.open.begin()->first, refused());
    scheduler_.advance(seconds(1));
  }
  ASSERT_TRUE(outcome_ && !outcome_->has_value());
  EXPECT_EQ(outcome_->error().code, core::Code::unavailable);
  EXPECT_NE(outcome_->error().message.find("parley serve"), std::string::npos);
  EXPECT_NE(outcome_->error().message.find("Connection refused"), std::string::npos);
  EXPECT_EQ(outcome_->error().message.find("secret"), std::string::npos);
}

TEST_F(AssistantClientTest, Deadline_LeavesServerTimeToAnswer) {
  ask(seconds(10));
  scheduler_.advance(seconds(19));
  EXPECT_FALSE(outcome_.has_value());
  scheduler_.advance(seconds(2));
  ASSERT_TRUE(outcome_ && !outcome_->has_value());
  EXPECT_EQ(outcome_->error().code, core::Code::deadline_exceeded);
  EXPECT_TRUE(http_.sent.back().url.ends_with("/cancel"));
}

TEST_F(AssistantClientTest, DeadlineOfOneSecond_IsSingular) {
  ask(seconds(1));
  scheduler_.advance(seconds(12));
  ASSERT_TRUE(outcome_ && !outcome_->has_value());
  EXPECT_EQ(outcome_->error().message, "Nobody answered within 1 second.");
}

TEST_F(AssistantClientTest, ServerNeverReached_IsGivenUpEarly) {
  AssistantClient hasty(
      scheduler_, entropy_, http_, [this] { return endpoint_; }, seconds(5));
  AssistantCall call;
  call.timeout = seconds(600);
  hasty.start(std::move(call),
              [this](AssistantOutcome outcome) { outcome_.emplace(std::move(outcome)); });
  for (int second = 0; second < 15; ++second) {
    while (!http_.open.empty()) http_.answer(http_.open.begin()->first, refused());
    scheduler_.advance(seconds(1));
  }
  ASSERT_TRUE(outcome_ && !outcome_->has_value());
  EXPECT_EQ(outcome_->error().code, core::Code::unavailable);
}

TEST_F(AssistantClientTest, ServerWithQuestion_IsWaitedFor) {
  AssistantClient hasty(
      scheduler_, entropy_, http_, [this] { return endpoint_; }, seconds(5));
  AssistantCall call;
  call.timeout = seconds(600);
  hasty.start(std::move(call),
              [this](AssistantOutcome outcome) { outcome_.emplace(std::move(outcome)); });
  http_.answer(1, lost());
  for (int second = 0; second < 30; ++second) {
    scheduler_.advance(seconds(1));
    while (!http_.open.empty()) http_.answer(http_.open.begin()->first, refused());
  }
  EXPECT_FALSE(outcome_.has_value());
}

TEST_F(AssistantClientTest, Cancel_TellsServerWhy_EndsCall) {
  const CallId id = ask();
  const std::string key = decoded(http_.sent[0]).id();
  client_.cancel(id, "The agent \"x\" has gone.");
  ASSERT_EQ(http_.sent.size(), 2U);
  EXPECT_EQ(http_.sent[1].url, "http://server/v1/interactions/" + key + "/cancel");
  EXPECT_EQ(http_.sent[1].headers[1], "Authorization: Bearer secret");
  EXPECT_EQ(http_.sent[1].body, R"({"reason":"The agent \"x\" has gone."})");
  EXPECT_EQ(http_.aborted, 1U);
  EXPECT_EQ(client_.cancellations(), 1U);
  http_.answer(2, answer_of(404, ""));
  EXPECT_EQ(client_.cancellations(), 0U);
  EXPECT_FALSE(outcome_.has_value());
  EXPECT_EQ(scheduler_.timers(), 0U);
}

TEST_F(AssistantClientTest, Cancel_IsRepeatedUntilServerReturns) {
  const CallId id = ask();
  http_.answer(1, lost());
  client_.cancel(id, "gone");
  http_.answer(2, refused());
  scheduler_.advance(seconds(1));
  ASSERT_EQ(http_.sent.size(), 3U);
  EXPECT_TRUE(http_.sent[2].url.ends_with("/cancel"));
  http_.answer(3, answer_of(200, "{}"));
  EXPECT_EQ(client_.cancellations(), 0U);
}

TEST_F(AssistantClientTest, ServerWithoutQuestion_IsNotToldOfCancel) {
  const CallId id = ask();
  http_.answer(1, refused());
  client_.cancel(id, "gone");
  EXPECT_EQ(client_.cancellations(), 0U);
  EXPECT_EQ(scheduler_.timers(), 0U);
}

TEST_F(AssistantClientTest, CancelOfEndedCall_DoesNothing) {
  const CallId id = ask();
  http_.answer(1, answer_of(200, response(false, {}, "yes")));
  client_.cancel(id, "late");
  client_.cancel(999, "never");
  EXPECT_EQ(http_.sent.size(), 1U);
}

TEST_F(AssistantClientTest, RefusedToken_IsToldAtOnceWithoutToken) {
  ask();
  http_.answer(1, answer_of(401, R"({"code":"unauthenticated","message":"Unknown token."})"));
  ASSERT_TRUE(outcome_ && !outcome_->has_value());
  EXPECT_EQ(outcome_->error().code, core::Code::unauthenticated);
  EXPECT_NE(outcome_->error().message.find("Unknown token."), std::string::npos);
  EXPECT_EQ(outcome_->error().message.find("secret"), std::string::npos);
}

TEST_F(AssistantClientTest, RefusedToken_WithNewToken_IsRetried) {
  ask();
  endpoint_.token = "new";
  http_.answer(1, answer_of(401, "{}"));
  ASSERT_EQ(http_.sent.size(), 2U);
  EXPECT_EQ(decoded(http_.sent[1]).usertoken(), "new");
}

TEST_F(AssistantClientTest, OtherConnectErrors_AreSaidAtOnce) {
  ask();
  http_.answer(1,
               answer_of(429, R"({"code":"resource_exhausted","message":"The queue is full."})"));
  ASSERT_TRUE(outcome_ && !outcome_->has_value());
  EXPECT_EQ(outcome_->error().code, core::Code::resource_exhausted);
}

TEST_F(AssistantClientTest, Report_ReachesServersOfEitherGeneration) {
  ask(seconds(600), AssistantCall::Kind::task_finish);
  EXPECT_TRUE(http_.sent[0].url.ends_with("/TaskFinish"));
  http_.answer(1, answer_of(404, "404 page not found"));
  ASSERT_EQ(http_.sent.size(), 2U);
  EXPECT_TRUE(http_.sent[1].url.ends_with("/WorkReport"));
  http_.answer(2, answer_of(404, ""));
  ASSERT_TRUE(outcome_ && !outcome_->has_value());
  EXPECT_EQ(outcome_->error().code, core::Code::unimplemented);
}

TEST_F(AssistantClientTest, OversizedAnswer_IsErrorInWords) {
  ask();
  http_client::HttpAnswer huge = lost();
  huge.too_large = true;
  http_.answer(1, std::move(huge));
  ASSERT_TRUE(outcome_ && !outcome_->has_value());
  EXPECT_EQ(outcome_->error().code, core::Code::resource_exhausted);
}

TEST_F(AssistantClientTest, AnswerOtherThanResponse_IsErrorInWords) {
  ask();
  http_.answer(1, answer_of(200, "<html>"));
  ASSERT_TRUE(outcome_ && !outcome_->has_value());
  EXPECT_EQ(outcome_->error().code, core::Code::internal);
}

TEST_F(AssistantClientTest, Status_TellsWaitingFromRetrying) {
  const CallId id = ask();
  EXPECT_NE(client_.status(id).find("Waiting for the person"), std::string::npos);
  http_.answer(1, refused());
  EXPECT_NE(client_.status(id).find("trying again"), std::string::npos);
  scheduler_.advance(seconds(10));
  EXPECT_NE(client_.status(id).find("Waiting for the person"), std::string::npos);
}

}  // namespace
}  // namespace parley::mcp
