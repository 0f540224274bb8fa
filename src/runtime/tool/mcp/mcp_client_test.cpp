// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/mcp/mcp_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <optional>

#include "tests/support/core/fake_scheduler.h"
#include "tests/support/tool/fake_mcp_transport.h"

namespace parley::tool {
namespace {

using boost::json::object;
using core::Code;
using core::Result;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class McpClientTest : public testing::Test {
 protected:
  McpClientTest() {
    client_ = std::make_shared<McpClient>("files", std::make_unique<FakeMcpTransport>(line_),
                                          scheduler_, McpClientOptions{});
  }
  void initialize() {
    McpClient::Events events;
    events.on_tools_changed = [this] { ++changes_; };
    events.on_closed = [this](const std::string& why) { closed_ = why; };
    client_->initialize(std::move(events), [this](Result<void> result) { ready_ = result; });
  }
  // Completes the handshake.
  void begin() {
    initialize();
    answer(1, R"({"protocolVersion":"2025-11-25","capabilities":{}})");
    ASSERT_TRUE(ready_ && *ready_);
    line_->sent.clear();
  }
  void answer(int id, const std::string& result) {
    line_->say(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" + result + "}");
  }
  object sent(std::size_t index) const {
    const boost::json::value parsed = boost::json::parse(line_->sent.at(index));
    return parsed.as_object();
  }
  std::int64_t call(std::optional<Result<object>>& result) {
    return client_->call_tool(
        "read", {{"path", "a"}}, [this](std::string_view text) { progress_ += text; },
        [&result](Result<object> it) {
          EXPECT_FALSE(result);
          result = std::move(it);
        });
  }
  void list() {
    client_->list_tools([this](Result<std::vector<McpToolInfo>> tools) { tools_ = tools; });
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  std::shared_ptr<FakeMcpLine> line_ = std::make_shared<FakeMcpLine>();
  std::shared_ptr<McpClient> client_;
  std::optional<Result<void>> ready_;
  std::optional<Result<std::vector<McpToolInfo>>> tools_;
  std::optional<std::string> closed_;
  std::string progress_;
  int changes_ = 0;
};

TEST_F(McpClientTest, Version_IsOffered_KnownEarlierIsTaken) {
  initialize();
  EXPECT_EQ(sent(0).at("method"), "initialize");
  EXPECT_EQ(sent(0).at("params").at("protocolVersion"), "2025-11-25");
  EXPECT_EQ(sent(0).at("params").at("clientInfo").at("name"), "parley");
  answer(1, R"({"protocolVersion":"2024-11-05"})");
  ASSERT_TRUE(ready_ && *ready_);
  EXPECT_EQ(line_->agreed, "2024-11-05");
  EXPECT_EQ(sent(1).at("method"), "notifications/initialized");
  EXPECT_FALSE(sent(1).contains("id"));
}

TEST_F(McpClientTest, UnknownVersion_IsRefusedByName) {
  initialize();
  answer(1, R"({"protocolVersion":"2099-01-01"})");
  ASSERT_TRUE(ready_ && !*ready_);
  EXPECT_THAT(ready_->error().message, HasSubstr("2099-01-01"));
  EXPECT_THAT(ready_->error().message, HasSubstr("files"));
}

TEST_F(McpClientTest, SilentServer_IsGivenUpAfterTwentySeconds) {
  initialize();
  scheduler_.advance(core::Millis(19'999));
  EXPECT_FALSE(ready_);
  scheduler_.advance(core::Millis(1));
  ASSERT_TRUE(ready_ && !*ready_);
  EXPECT_EQ(ready_->error().code, Code::deadline_exceeded);
}

TEST_F(McpClientTest, AllPages_AreListed_InvalidToolsAreLeftOut) {
  begin();
  list();
  answer(2, R"({"tools":[{"name":"a","description":"A","inputSchema":{"type":"object","x":1},
      "annotations":{"readOnlyHint":true}},{"name":""},7],"nextCursor":"p2"})");
  EXPECT_FALSE(tools_);
  EXPECT_EQ(sent(1).at("params").at("cursor"), "p2");
  answer(3, R"({"tools":[{"name":"b","title":"B"}]})");
  ASSERT_TRUE(tools_ && *tools_);
  ASSERT_THAT(**tools_, SizeIs(2));
  EXPECT_EQ((**tools_)[0].input_schema, R"({"type":"object","x":1})");
  EXPECT_TRUE((**tools_)[0].read_only);
  EXPECT_EQ((**tools_)[1].description, "B");
  EXPECT_FALSE((**tools_)[1].read_only);
}

TEST_F(McpClientTest, EndlessList_IsCutAtPageLimit) {
  begin();
  list();
  int id = 2;
  while (!tools_ && id < 1'000) {
    answer(id, R"({"tools":[{"name":"t"}],"nextCursor":"c)" + std::to_string(id) + R"("})");
    ++id;
  }
  ASSERT_TRUE(tools_ && *tools_);
  EXPECT_THAT(**tools_, SizeIs(McpClient::kMaxPages));
}

TEST_F(McpClientTest, RepeatedCursor_EndsList) {
  begin();
  list();
  answer(2, R"({"tools":[],"nextCursor":"same"})");
  answer(3, R"({"tools":[],"nextCursor":"same"})");
  EXPECT_TRUE(tools_ && *tools_);
}

TEST_F(McpClientTest, Call_ReturnsResultAndProgress) {
  begin();
  std::optional<Result<object>> result;
  const std::int64_t id = call(result);
  EXPECT_EQ(sent(0).at("params").at("name"), "read");
  EXPECT_EQ(sent(0).at("params").at("arguments").at("path"), "a");
  const std::string token =
      boost::json::serialize(sent(0).at("params").at("_meta").at("progressToken"));
  line_->say(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
             token + R"(,"progress":1,"total":4,"message":"reading"}})");
  line_->say(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
             token + R"(,"progress":0.5}})");
  line_->say(
      R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":99,"progress":1}})");
  EXPECT_EQ(progress_, "reading (1 of 4)\n(5E-1)\n");
  answer(static_cast<int>(id), R"({"content":[]})");
  ASSERT_TRUE(result && *result);
  answer(static_cast<int>(id), R"({"content":[]})");
}

TEST_F(McpClientTest, ServerError_IsToldInItsWords) {
  begin();
  std::optional<Result<object>> result;
  call(result);
  line_->say(R"({"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no such path"}})");
  ASSERT_TRUE(result && !*result);
  EXPECT_THAT(result->error().message, HasSubstr("no such path"));
}

TEST_F(McpClientTest, CancelledCall_IsToldToServer_AnswerIgnored) {
  begin();
  std::optional<Result<object>> result;
  const std::int64_t id = call(result);
  client_->cancel(id, "The run was cancelled.");
  EXPECT_EQ(sent(1).at("method"), "notifications/cancelled");
  EXPECT_EQ(sent(1).at("params").at("requestId"), id);
  EXPECT_EQ(sent(1).at("params").at("reason"), "The run was cancelled.");
  EXPECT_THAT(line_->dropped, ElementsAre(id));
  answer(static_cast<int>(id), "{}");
  EXPECT_FALSE(result);
  EXPECT_EQ(scheduler_.timers(), 0U);
}

TEST_F(McpClientTest, SlowCall_IsCancelledUnlessProgressing) {
  begin();
  std::optional<Result<object>> result;
  const std::int64_t id = call(result);
  scheduler_.advance(std::chrono::seconds(599));
  line_->say(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
             std::to_string(id) + R"(,"progress":1}})");
  scheduler_.advance(std::chrono::seconds(599));
  EXPECT_FALSE(result);
  scheduler_.advance(std::chrono::seconds(1));
  ASSERT_TRUE(result && !*result);
  EXPECT_EQ(result->error().code, Code::deadline_exceeded);
  EXPECT_EQ(sent(1).at("method"), "notifications/cancelled");
}

TEST_F(McpClientTest, ServerExit_IsToldToWaitingCalls) {
  begin();
  std::optional<Result<object>> result;
  call(result);
  line_->die("it ended with exit code 7");
  ASSERT_TRUE(result && !*result);
  EXPECT_EQ(result->error().code, Code::unavailable);
  EXPECT_THAT(result->error().message, HasSubstr("MCP server files: it ended with exit code 7"));
  EXPECT_EQ(closed_, "it ended with exit code 7");
  result.reset();
  call(result);
  scheduler_.run_ready();
  ASSERT_TRUE(result && !*result) << "nothing is asked of one that is gone";
}

TEST_F(McpClientTest, Garbage_IsIgnoredThenRefused) {
  begin();
  std::optional<Result<object>> result;
  call(result);
  for (int i = 1; i < McpClient::kMaxGarbage; ++i) line_->say("Welcome!");
  line_->say("[]");
  for (int i = 1; i < McpClient::kMaxGarbage; ++i) line_->say("{");
  EXPECT_FALSE(result);
  line_->say("\"a text\"");
  ASSERT_TRUE(result && !*result);
  EXPECT_THAT(result->error().message, HasSubstr("not MCP"));
  EXPECT_TRUE(line_->closed);
}

TEST_F(McpClientTest, SeveralAndOddMessages_AreRead) {
  begin();
  std::optional<Result<object>> result;
  call(result);
  for (const char* strange :
       {R"({"jsonrpc":"2.0","id":"2","result":{}})", R"({"jsonrpc":"2.0","id":99,"result":{}})",
        R"({"jsonrpc":"2.0","id":null,"error":{}})", R"({"id":2.5,"result":{}})", R"({})",
        R"({"method":7})", R"([1,"x",null])",
        R"({"method":"notifications/progress","params":7})"}) {
    line_->say(strange);
    EXPECT_FALSE(result) << strange;
  }
  line_->say(R"([{"jsonrpc":"2.0","method":"notifications/tools/list_changed"},
                 {"jsonrpc":"2.0","id":2,"result":{"content":[]}}])");
  EXPECT_EQ(changes_, 1);
  EXPECT_TRUE(result && *result);
}

TEST_F(McpClientTest, InvalidResult_IsFault) {
  begin();
  std::optional<Result<object>> result;
  call(result);
  answer(2, "7");
  ASSERT_TRUE(result && !*result);
  EXPECT_EQ(result->error().code, Code::data_loss);
  list();
  answer(3, "{}");
  ASSERT_TRUE(tools_ && !*tools_);
}

TEST_F(McpClientTest, Ping_IsAnswered_OtherRequestsAreRefused) {
  begin();
  line_->say(R"({"jsonrpc":"2.0","id":"p1","method":"ping"})");
  line_->say(R"({"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}})");
  EXPECT_EQ(line_->sent[0], R"({"jsonrpc":"2.0","id":"p1","result":{}})");
  EXPECT_EQ(sent(1).at("error").at("code"), -32601);
}

TEST_F(McpClientTest, LostAnswer_IsTold) {
  begin();
  std::optional<Result<object>> result;
  call(result);
  line_->events.on_lost(2, "HTTP 500");
  ASSERT_TRUE(result && !*result);
  EXPECT_THAT(result->error().message, HasSubstr("HTTP 500"));
}

}  // namespace
}  // namespace parley::tool
