// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/mcp_server.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "agents/mcp/asking_offer.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/mcp/fake_assistant_calls.h"

namespace parley::mcp {
namespace {

using boost::json::value;
using std::chrono::seconds;

const std::string kModernMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{},)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"modern-client","version":"2"}})";

class McpServerTest : public ::testing::Test {
 protected:
  std::vector<value> take() {
    std::vector<value> taken;
    for (const std::string& line : std::exchange(lines_, {})) {
      taken.push_back(boost::json::parse(line));
    }
    return taken;
  }
  value say(const std::string& line) {
    server_.on_line(line);
    std::vector<value> taken = take();
    EXPECT_EQ(taken.size(), 1U) << line;
    return taken.empty() ? value() : taken.front();
  }
  void initialize(const std::string& version = "2025-11-25") {
    say(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" + version +
        R"(","capabilities":{},"clientInfo":{"name":"test-client","version":"1"}}})");
  }
  // Starts a question that waits; `more` is further JSON for its params.
  void ask(const std::string& id, const std::string& more = {}) {
    server_.on_line(R"({"jsonrpc":"2.0","id":)" + id +
                    R"(,"method":"tools/call","params":{"name":"ask_question","arguments":)" +
                    R"({"project_directory":"/p","question":"q?"})" + more + "}}");
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  FakeAssistantCalls assistant_;
  std::vector<std::string> lines_;
  core::SeededEntropy entropy_{7};
  AskingOffer offer_{scheduler_, assistant_, entropy_, {}};
  McpServer server_{offer_, {kServerName, kServerTitle, "1.2.3"}, [this](Outgoing message) {
                      lines_.push_back(std::move(message.text));
                    }};
};

TEST_F(McpServerTest, EachKnownRevision_IsAccepted) {
  for (const std::string version : {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}) {
    const value answer =
        say(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":")" +
            version + R"("}})");
    EXPECT_EQ(answer.at("result").at("protocolVersion").as_string(), version);
  }
}

TEST_F(McpServerTest, UnknownRevision_NewestIsOffered) {
  for (const std::string version : {"1999-01-01", "2026-07-28"}) {
    const value answer =
        say(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":")" +
            version + R"("}})");
    EXPECT_EQ(answer.at("result").at("protocolVersion").as_string(), "2025-11-25");
    EXPECT_EQ(answer.at("result").at("serverInfo").at("name").as_string(), "Agent-Assistant");
    EXPECT_EQ(answer.at("result").at("serverInfo").at("version").as_string(), "1.2.3");
  }
}

TEST_F(McpServerTest, InitializeWithoutRevision_IsInvalid) {
  const value answer = say(R"({"jsonrpc":"2.0","id":1,"method":"initialize"})");
  EXPECT_EQ(answer.at("error").at("code").as_int64(), kInvalidParams);
}

TEST_F(McpServerTest, Ping_DuringQuestion_IsAnswered) {
  initialize();
  ask("1");
  const value pong = say(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
  EXPECT_EQ(pong.at("id").as_string(), "p");
  EXPECT_TRUE(pong.at("result").as_object().empty());
  EXPECT_EQ(offer_.calls(), 1U);
}

TEST_F(McpServerTest, Tools_AreListed) {
  initialize();
  const value answer = say(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  std::vector<std::string> names;
  for (const value& tool : answer.at("result").at("tools").as_array()) {
    names.emplace_back(tool.at("name").as_string());
    EXPECT_EQ(tool.at("inputSchema").at("type").as_string(), "object");
  }
  EXPECT_EQ(names, (std::vector<std::string>{"ask_question", "task_finish", "work_report"}));
  const value paged =
      say(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}})");
  EXPECT_EQ(paged.at("error").at("code").as_int64(), kInvalidParams);
}

TEST_F(McpServerTest, Question_CarriesClientName) {
  initialize();
  ask("1");
  ASSERT_EQ(assistant_.started.size(), 1U);
  const AssistantCall& call = assistant_.started.front();
  EXPECT_EQ(call.kind, AssistantCall::Kind::ask_question);
  EXPECT_EQ(call.project_directory, "/p");
  EXPECT_EQ(call.text, "q?");
  EXPECT_EQ(call.client_name, "test-client");
  EXPECT_EQ(call.timeout, seconds(600));
}

TEST_F(McpServerTest, Calls_AreAnsweredInAnswerOrder) {
  initialize();
  ask("1");
  ask("2");
  assistant_.answer(2, core::text_answer("second"));
  assistant_.answer(1, core::text_answer("first"));
  const std::vector<value> answers = take();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].at("id").as_int64(), 2);
  EXPECT_EQ(answers[0].at("result").at("content").at(0).at("text").as_string(), "second");
  EXPECT_FALSE(answers[0].at("result").at("isError").as_bool());
  EXPECT_EQ(answers[1].at("id").as_int64(), 1);
}

TEST_F(McpServerTest, CancelledCall_IsCancelledAndNotAnswered) {
  initialize();
  ask("\"a\"");
  server_.on_line(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                  R"("params":{"requestId":"\u0061","reason":"changed my mind"}})");
  ASSERT_EQ(assistant_.cancelled.size(), 1U);
  EXPECT_NE(assistant_.cancelled.front().second.find("changed my mind"), std::string::npos);
  EXPECT_EQ(offer_.calls(), 0U);
  scheduler_.advance(seconds(100));
  EXPECT_TRUE(take().empty());
}

TEST_F(McpServerTest, CancelOfUnknownCall_ChangesNothing) {
  initialize();
  ask("1");
  server_.on_line(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}})");
  server_.on_line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{}})");
  server_.on_line(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})");
  EXPECT_EQ(offer_.calls(), 1U);
}

TEST_F(McpServerTest, RequestedProgress_IsToldEvery25Seconds) {
  initialize();
  ask("1", R"(,"_meta":{"progressToken":"tok"})");
  scheduler_.advance(seconds(24));
  EXPECT_TRUE(take().empty());
  scheduler_.advance(seconds(27));
  const std::vector<value> notes = take();
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].at("method").as_string(), "notifications/progress");
  EXPECT_EQ(notes[0].at("params").at("progressToken").as_string(), "tok");
  EXPECT_EQ(notes[0].at("params").at("progress").as_int64(), 25);
  EXPECT_EQ(notes[0].at("params").at("total").as_int64(), 600);
  EXPECT_EQ(notes[0].at("params").at("message").as_string(), "Waiting.");
  EXPECT_EQ(notes[1].at("params").at("progress").as_int64(), 50);
  assistant_.answer(1, core::text_answer("ok"));
  take();
  scheduler_.advance(seconds(60));
  EXPECT_TRUE(take().empty());
}

TEST_F(McpServerTest, UnrequestedProgress_IsNotSent) {
  initialize();
  ask("1");
  scheduler_.advance(seconds(100));
  EXPECT_TRUE(take().empty());
}

TEST_F(McpServerTest, UnknownMethodsToolsAndShapes_AreProtocolErrors) {
  initialize();
  const auto code = [&](const std::string& rest) {
    return say(R"({"jsonrpc":"2.0","id":1,)" + rest + "}").at("error").at("code").as_int64();
  };
  EXPECT_EQ(code(R"("method":"resources/list")"), kMethodNotFound);
  EXPECT_EQ(code(R"("method":"tools/call","params":{"name":"nope"})"), kInvalidParams);
  EXPECT_EQ(code(R"("method":"tools/call")"), kInvalidParams);
  EXPECT_EQ(code(R"("method":"tools/call","params":{"name":"ask_question","arguments":[]})"),
            kInvalidParams);
}

TEST_F(McpServerTest, MissingArgument_IsNamedInResult) {
  initialize();
  const value answer =
      say(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_question",)"
          R"("arguments":{"project_directory":"/p"}}})");
  EXPECT_TRUE(answer.at("result").at("isError").as_bool());
  EXPECT_EQ(answer.at("result").at("content").at(0).at("text").as_string(),
            "required argument \"question\" not found");
}

TEST_F(McpServerTest, WaitingId_CannotBeReused) {
  initialize();
  ask("1");
  ask("1");
  const std::vector<value> answers = take();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].at("error").at("code").as_int64(), kInvalidRequest);
  EXPECT_EQ(assistant_.started.size(), 1U);
}

TEST_F(McpServerTest, ClampedTimeout_IsToldInResult) {
  initialize();
  server_.on_line(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"task_finish",)"
                  R"("arguments":{"project_directory":"/p","summary":"s","timeout":"1"}}})");
  EXPECT_EQ(assistant_.started.front().timeout, seconds(5));
  assistant_.answer(1, core::text_answer("ok"));
  const value answer = take().front();
  EXPECT_EQ(answer.at("result").at("content").as_array().size(), 2U);
  EXPECT_NE(answer.at("result").at("content").at(1).at("text").as_string().find("5 seconds"),
            boost::json::string::npos);
}

TEST_F(McpServerTest, Failure_IsErrorResultInWords) {
  initialize();
  ask("1");
  assistant_.answer(1, core::fail(core::Code::unavailable, "No server."));
  const value answer = take().front();
  EXPECT_TRUE(answer.at("result").at("isError").as_bool());
  EXPECT_EQ(answer.at("result").at("content").at(0).at("text").as_string(), "No server.");
}

TEST_F(McpServerTest, Batch_IsAnsweredOnceComplete) {
  initialize("2025-03-26");
  server_.on_line(
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},7,)"
      R"({"jsonrpc":"2.0","method":"notifications/initialized"},)"
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask_question",)"
      R"("arguments":{"project_directory":"/p","question":"q"}}}])");
  EXPECT_TRUE(take().empty());
  assistant_.answer(1, core::text_answer("ok"));
  const std::vector<value> answers = take();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].as_array().size(), 3U);
}

TEST_F(McpServerTest, BatchWithCancelledCall_IsAnsweredForRest) {
  initialize("2025-03-26");
  server_.on_line(
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},)"
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask_question",)"
      R"("arguments":{"project_directory":"/p","question":"q"}}}])");
  server_.on_line(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  const std::vector<value> answers = take();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].as_array().size(), 1U);
}

TEST_F(McpServerTest, BatchOfNotifications_IsNotAnswered) {
  initialize("2025-03-26");
  server_.on_line(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])");
  EXPECT_TRUE(take().empty());
}

TEST_F(McpServerTest, LaterRevisions_HaveNoBatches) {
  initialize("2025-06-18");
  const value answer = say(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])");
  EXPECT_EQ(answer.at("error").at("code").as_int64(), kInvalidRequest);
}

TEST_F(McpServerTest, NotificationsAndAnswers_AreNeverAnswered) {
  for (const char* line :
       {R"({"jsonrpc":"2.0","method":"no/such/thing"})", R"({"jsonrpc":"2.0","method":"ping"})",
        R"({"jsonrpc":"2.0","id":1,"result":{}})", "", "   "}) {
    server_.on_line(line);
    EXPECT_TRUE(take().empty()) << line;
  }
}

TEST_F(McpServerTest, OversizedLine_IsAnswered) {
  server_.on_oversized_line();
  EXPECT_EQ(take().front().at("error").at("code").as_int64(), kInvalidRequest);
}

TEST_F(McpServerTest, LogLevel_IsAccepted) {
  initialize();
  const value answer =
      say(R"({"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}})");
  EXPECT_TRUE(answer.at("result").is_object());
}

TEST_F(McpServerTest, Close_CancelsAll_SendsNothingMore) {
  initialize();
  ask("1");
  ask("2");
  server_.close("The agent has gone.");
  ASSERT_EQ(assistant_.cancelled.size(), 2U);
  EXPECT_EQ(assistant_.cancelled[0].second, "The agent has gone.");
  server_.on_line(R"({"jsonrpc":"2.0","id":3,"method":"ping"})");
  scheduler_.advance(seconds(100));
  EXPECT_TRUE(take().empty());
}

TEST_F(McpServerTest, TooManyWaitingCalls_AreRefusedInWords) {
  initialize();
  for (std::size_t i = 0; i < AskingOffer::kMaxCalls; ++i) ask(std::to_string(i + 10));
  EXPECT_TRUE(take().empty());
  ask("1");
  EXPECT_TRUE(take().front().at("result").at("isError").as_bool());
}

TEST_F(McpServerTest, ModernClient_DiscoversWithoutHandshake) {
  const value answer =
      say(R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{)" + kModernMeta + "}}");
  const value& result = answer.at("result");
  EXPECT_EQ(result.at("supportedVersions").at(0).as_string(), "2026-07-28");
  EXPECT_EQ(result.at("resultType").as_string(), "complete");
  EXPECT_EQ(result.at("_meta").at("io.modelcontextprotocol/serverInfo").at("name").as_string(),
            "Agent-Assistant");
}

TEST_F(McpServerTest, ModernCall_IsAnsweredInModernForm) {
  ask("1", "," + kModernMeta);
  ASSERT_EQ(assistant_.started.size(), 1U);
  EXPECT_EQ(assistant_.started.front().client_name, "modern-client");
  AssistantReply reply = core::text_answer("ok");
  reply.meta["nickname"] = "Ann";
  assistant_.answer(1, std::move(reply));
  const value result = take().front().at("result");
  EXPECT_EQ(result.at("resultType").as_string(), "complete");
  EXPECT_TRUE(result.at("_meta").as_object().contains("io.modelcontextprotocol/serverInfo"));
  EXPECT_EQ(result.at("_meta").at("agentassistproto/meta").at("nickname").as_string(), "Ann");
  const value tools =
      say(R"({"jsonrpc":"2.0","id":2,"method":"tools/list","params":{)" + kModernMeta + "}}");
  EXPECT_EQ(tools.at("result").at("cacheScope").as_string(), "private");
  EXPECT_EQ(tools.at("result").at("ttlMs").as_int64(), 0);
}

TEST_F(McpServerTest, UnknownModernRevision_IsRefusedWithKnown) {
  const value answer = say(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":)"
                           R"({"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}})");
  EXPECT_EQ(answer.at("error").at("code").as_int64(), -32022);
  EXPECT_EQ(answer.at("error").at("data").at("requested").as_string(), "2099-01-01");
  EXPECT_EQ(answer.at("error").at("data").at("supported").at(0).as_string(), "2026-07-28");
}

TEST_F(McpServerTest, ModernEnvelopeWithoutCapabilities_IsInvalid) {
  const value answer = say(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":)"
                           R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
  EXPECT_EQ(answer.at("error").at("code").as_int64(), kInvalidParams);
}

}  // namespace
}  // namespace parley::mcp
