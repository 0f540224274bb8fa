// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/mcp/mcp_stdio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "tests/support/tool/test_scheduler.h"

namespace parley::tool {
namespace {

using testing::HasSubstr;

class McpStdioTest : public testing::Test {
 protected:
  void open(const std::string& program, std::vector<std::string> args) {
    McpServerConfig config;
    config.name = "test";
    config.command = program;
    config.args = std::move(args);
    transport_ = make_mcp_stdio(config, "/", {"PATH=/usr/bin:/bin"}, runner_, scheduler_);
    McpTransport::Events events;
    events.on_message = [this](std::string_view text) { messages_.emplace_back(text); };
    events.on_closed = [this](const std::string& why) {
      EXPECT_FALSE(closed_);
      closed_ = why;
    };
    transport_->open(std::move(events));
  }
  bool ends() {
    return scheduler_.run_until([this] { return closed_.has_value(); });
  }

  TestScheduler scheduler_;
  ProcessRunner runner_;
  std::unique_ptr<McpTransport> transport_;
  std::vector<std::string> messages_;
  std::optional<std::string> closed_;
};

TEST_F(McpStdioTest, EachLine_IsMessage_EndIsToldLast) {
  open("sh", {"-c", "printf '{}\\r\\n\\n[1]\\nrest'; exit 4"});
  ASSERT_TRUE(ends());
  EXPECT_EQ(messages_, (std::vector<std::string>{"{}", "[1]"}));
  EXPECT_THAT(*closed_, HasSubstr("exit code 4"));
}

TEST_F(McpStdioTest, Message_IsSentAsLine) {
  open("cat", {});
  transport_->send("{\"a\":1}", 1);
  EXPECT_TRUE(scheduler_.run_until([this] { return messages_.size() == 1; }));
  EXPECT_EQ(messages_[0], "{\"a\":1}");
}

TEST_F(McpStdioTest, OverlongLine_IsLeftOut) {
  open("sh", {"-c", "head -c 17000000 /dev/zero | tr '\\0' x; echo; echo '{}'"});
  ASSERT_TRUE(ends());
  EXPECT_EQ(messages_, (std::vector<std::string>{"{}"}));
}

TEST_F(McpStdioTest, ServerFasterThanReader_IsClosed) {
  open(MCP_TEST_SERVER, {"flood"});
  // 64 MiB of lines that count 100,000 each, and the close event.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (scheduler_.waiting() < 673 && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  ASSERT_TRUE(ends());
  EXPECT_THAT(*closed_, HasSubstr("faster than it can be read"));
  EXPECT_EQ(messages_.size(), 672U);
}

TEST_F(McpStdioTest, ClosedTransport_TellsNothing) {
  open(MCP_TEST_SERVER, {"good"});
  transport_->close();
  EXPECT_TRUE(scheduler_.run_until([this] {
    scheduler_.post([] {});
    return runner_.running() == 0;
  }));
  EXPECT_FALSE(closed_);
}

TEST(McpStdioEnd, Home_MayBeDestroyedBeforeProgram) {
  ProcessRunner runner;
  auto home = std::make_unique<TestScheduler>();
  McpServerConfig config;
  config.command = "sh";
  config.args = {"-c", "trap '' TERM; while :; do echo '{}'; done"};
  auto transport = make_mcp_stdio(config, "/", {"PATH=/usr/bin:/bin"}, runner, *home);
  std::size_t messages = 0;
  transport->open({[&messages](std::string_view) { ++messages; }, {}, {}});
  EXPECT_TRUE(home->run_until([&messages] { return messages > 10; }));
  transport.reset();
  home.reset();
  TestScheduler other;
  EXPECT_TRUE(other.run_until([&] {
    other.post([] {});
    return runner.running() == 0;
  }));
}

}  // namespace
}  // namespace parley::tool
