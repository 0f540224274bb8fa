// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/mcp/mcp_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <optional>

#include "tests/support/core/fake_scheduler.h"
#include "tests/support/tool/fake_mcp_transport.h"

namespace parley::tool {
namespace {

using core::Result;
using testing::HasSubstr;
using testing::SizeIs;

class McpServerTest : public testing::Test {
 protected:
  ~McpServerTest() override {
    // Breaks the cycle: a pending call holds the server, and the server holds the call.
    server_->stop("the test is over");
    scheduler_.run_ready();
  }
  // The transport of the latest start of the server.
  FakeMcpLine& line() { return *lines_.back(); }
  void answer(const std::string& method, const std::string& result) {
    for (auto sent = line().sent.rbegin(); sent != line().sent.rend(); ++sent) {
      const boost::json::value parsed = boost::json::parse(*sent);
      if (parsed.at("method").as_string() != std::string_view(method)) continue;
      const std::string id = std::to_string(parsed.at("id").as_int64());
      return line().say(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + result + "}");
    }
    FAIL() << method << " was not asked";
  }
  void come_up() { answer("initialize", R"({"protocolVersion":"2025-11-25"})"); }
  void call() {
    result_.reset();
    call_ = server_->call("t", {}, {}, [this](Result<boost::json::object> it) { result_ = it; });
  }
  void list() {
    tools_.reset();
    server_->tools([this](Result<std::vector<McpToolInfo>> it) { tools_ = it; });
  }
  void die() {
    line().die("it ended");
    scheduler_.run_ready();
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  std::vector<std::shared_ptr<FakeMcpLine>> lines_;
  std::shared_ptr<McpServer> server_ = std::make_shared<McpServer>(
      "files", "d1",
      [this] {
        lines_.push_back(std::make_shared<FakeMcpLine>());
        return std::make_unique<FakeMcpTransport>(lines_.back());
      },
      scheduler_, McpServerOptions{});
  std::shared_ptr<McpServer::Call> call_;
  std::optional<Result<boost::json::object>> result_;
  std::optional<Result<std::vector<McpToolInfo>>> tools_;
};

TEST_F(McpServerTest, Server_IsStartedOnDemandOnce) {
  EXPECT_THAT(lines_, SizeIs(0));
  list();
  call();
  EXPECT_THAT(lines_, SizeIs(1));
  come_up();
  answer("tools/list", R"({"tools":[{"name":"t"}]})");
  answer("tools/call", "{}");
  EXPECT_TRUE(tools_ && *tools_);
  EXPECT_TRUE(result_ && *result_);
  EXPECT_THAT(lines_, SizeIs(1));
}

TEST_F(McpServerTest, Tools_AreListedOnceUntilChanged) {
  list();
  come_up();
  answer("tools/list", R"({"tools":[{"name":"t"}]})");
  const std::size_t sent = line().sent.size();
  list();
  EXPECT_TRUE(tools_ && *tools_);
  EXPECT_EQ(line().sent.size(), sent);
  line().say(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  list();
  EXPECT_FALSE(tools_);
  answer("tools/list", R"({"tools":[{"name":"t"},{"name":"u"}]})");
  ASSERT_TRUE(tools_ && *tools_);
  EXPECT_THAT(**tools_, SizeIs(2));
}

TEST_F(McpServerTest, DeadServer_IsRestartedThreeTimesPerMinute) {
  for (int life = 1; life <= 4; ++life) {
    call();
    ASSERT_THAT(lines_, SizeIs(life));
    come_up();
    die();
    ASSERT_TRUE(result_ && !*result_) << life;
    EXPECT_THAT(result_->error().message, HasSubstr("MCP server files: it ended"));
  }
  call();
  EXPECT_THAT(lines_, SizeIs(4));
  ASSERT_TRUE(result_ && !*result_);
  EXPECT_THAT(result_->error().message, HasSubstr("within a minute"));
  scheduler_.advance(std::chrono::seconds(59));
  call();
  EXPECT_THAT(lines_, SizeIs(4)) << "asking does not make it longer";
  scheduler_.advance(std::chrono::seconds(2));
  call();
  EXPECT_THAT(lines_, SizeIs(5));
}

TEST_F(McpServerTest, UnstartableServer_IsNotRetriedPerList) {
  list();
  scheduler_.advance(std::chrono::seconds(20));
  ASSERT_TRUE(tools_ && !*tools_);
  EXPECT_TRUE(line().closed);
  list();
  EXPECT_TRUE(tools_ && !*tools_) << "told at once";
  EXPECT_THAT(lines_, SizeIs(1));
  scheduler_.advance(std::chrono::seconds(30));
  list();
  EXPECT_THAT(lines_, SizeIs(2));
}

TEST_F(McpServerTest, CallCancelledBeforeStart_IsNotMade) {
  call();
  call_->cancel("stop");
  come_up();
  for (const std::string& sent : line().sent)
    EXPECT_THAT(sent, testing::Not(HasSubstr("tools/call")));
  EXPECT_FALSE(result_);
}

TEST_F(McpServerTest, CancelledCall_IsToldToServer) {
  call();
  come_up();
  call_->cancel("stop");
  EXPECT_THAT(line().sent.back(), HasSubstr("notifications/cancelled"));
  EXPECT_FALSE(result_);
}

TEST_F(McpServerTest, UnusedServer_IsEnded_ReturnsOnUse) {
  call();
  come_up();
  scheduler_.advance(std::chrono::seconds(1'000));
  EXPECT_FALSE(line().closed) << "a call goes on (its own deadline has passed it on)";
  answer("tools/call", "{}");
  scheduler_.advance(std::chrono::seconds(2'000));
  EXPECT_TRUE(line().closed);
  EXPECT_FALSE(server_->running());
  call();
  EXPECT_THAT(lines_, SizeIs(2));
}

}  // namespace
}  // namespace parley::tool
