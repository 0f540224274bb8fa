// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/process/bash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "base/core/temp_folder.h"
#include "tests/support/tool/test_scheduler.h"

namespace parley::tool {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class BashTest : public testing::Test {
 protected:
  BashTest() {
    fs::create_directory(folder_ / "sub");
    options_.environment = for_children(
        {"PATH=/usr/local/bin:/usr/bin:/bin", "X_API_KEY=secret", "SEEN=yes"}, {"SEEN"});
  }

  void begin(const boost::json::object& arguments) {
    ToolContext context;
    context.working_folder = folder_.string();
    context.scheduler = &scheduler_;
    context.cancel = cancel_.token();
    context.output = [this](std::string_view text) {
      EXPECT_FALSE(result_) << "no output after the end";
      shown_ += text;
    };
    tool_ = make_bash(runner_, options_);
    tool_->run(std::move(context), arguments, [this](ToolResult result) {
      EXPECT_FALSE(result_);
      result_ = std::move(result);
    });
    EXPECT_FALSE(result_) << "never inside the call";
  }
  bool ended() {
    return scheduler_.run_until([this] { return result_.has_value(); });
  }
  ToolResult run(const boost::json::object& arguments) {
    result_.reset();
    begin(arguments);
    EXPECT_TRUE(ended());
    return result_.value_or(ToolResult{});
  }
  ToolResult run(const std::string& command) { return run({{"command", command}}); }

  core::TempFolder place_{"parley-bash"};
  fs::path folder_ = place_.path();
  TestScheduler scheduler_;
  ProcessRunner runner_;
  BashOptions options_;
  core::CancelSource cancel_;
  ToolPtr tool_;
  std::string shown_;
  std::optional<ToolResult> result_;
};

TEST_F(BashTest, OutputAndExitCode_AreGiven) {
  const ToolResult result = run("echo hello; echo wrong >&2");
  EXPECT_EQ(result.content, "hello\nstderr:\nwrong\nexit code: 0");
  EXPECT_FALSE(result.is_error);
}

TEST_F(BashTest, EmptyOutput_IsTold) {
  EXPECT_EQ(run("true").content, "(no output)\nexit code: 0");
}

TEST_F(BashTest, OtherExitCodeAndSignal_AreErrors) {
  ToolResult result = run("echo x; exit 7");
  EXPECT_EQ(result.content, "x\nexit code: 7");
  EXPECT_TRUE(result.is_error);
  result = run("kill -TERM $$");
  EXPECT_THAT(result.content, HasSubstr("ended by signal 15 (SIGTERM)"));
  EXPECT_TRUE(result.is_error);
}

TEST_F(BashTest, Bash_AsksByDefault_SchemaIsJson) {
  tool_ = make_bash(runner_, options_);
  EXPECT_EQ(tool_->default_approval(), Approval::ask);
  const boost::json::value schema = boost::json::parse(tool_->spec().parameters);
  EXPECT_EQ(schema.at("required").as_array().size(), 1U);
}

TEST_F(BashTest, Folder_IsWorkingFolderOrBelow) {
  EXPECT_THAT(run("pwd").content, HasSubstr(folder_.string() + "\n"));
  EXPECT_THAT(run({{"command", "pwd"}, {"workdir", "sub"}}).content,
              HasSubstr((folder_ / "sub").string()));
}

TEST_F(BashTest, FolderOutsideOrMissing_IsRefused) {
  fs::create_directory_symlink("/", folder_ / "root");
  for (const char* outside : {"..", "/", "root", "root/tmp", "sub/../.."}) {
    const ToolResult result = run({{"command", "echo ran"}, {"workdir", outside}});
    EXPECT_TRUE(result.is_error);
    EXPECT_THAT(result.content, HasSubstr("outside the working folder")) << outside;
  }
  const ToolResult result = run({{"command", "echo ran"}, {"workdir", "nowhere"}});
  EXPECT_THAT(result.content, HasSubstr("there is no folder nowhere"));
}

TEST_F(BashTest, BadArguments_AreNamed) {
  EXPECT_THAT(run(boost::json::object()).content, HasSubstr("command"));
  EXPECT_THAT(run({{"command", std::string("a\0b", 3)}}).content, HasSubstr("command"));
  EXPECT_THAT(run({{"command", "true"}, {"timeout", 0}}).content, HasSubstr("timeout"));
  EXPECT_THAT(run({{"command", "true"}, {"timeout", 1e12}}).content, HasSubstr("timeout"));
}

TEST_F(BashTest, Secrets_AreNotInEnvironment) {
  const std::string seen = run("env").content;
  EXPECT_THAT(seen, HasSubstr("SEEN=yes"));
  EXPECT_THAT(seen, Not(HasSubstr("secret")));
}

TEST_F(BashTest, Output_IsShownWhileRunning) {
  begin({{"command", "echo first; while [ ! -e go ]; do sleep 0.01; done; echo second >&2"}});
  ASSERT_TRUE(scheduler_.run_until([this] { return shown_ == "first\n"; }));
  std::ofstream(folder_ / "go") << "x";
  ASSERT_TRUE(ended());
  EXPECT_EQ(shown_, "first\nsecond\n");
}

TEST_F(BashTest, LongOutput_IsCutInMiddle) {
  options_.kept_head = 100;
  options_.kept_tail = 100;
  options_.shown = 5'000;
  const ToolResult result = run("seq 1 200000");
  EXPECT_THAT(result.content, testing::StartsWith("1\n2\n3\n"));
  EXPECT_THAT(result.content, HasSubstr("bytes are left out here"));
  EXPECT_THAT(result.content, EndsWith("199999\n200000\nexit code: 0"));
  EXPECT_LT(result.content.size(), 400U);
  EXPECT_LT(shown_.size(), 5'200U);
  EXPECT_THAT(shown_, EndsWith("not shown while the command runs ...]\n"));
}

TEST_F(BashTest, BinaryOutput_BecomesText) {
  const ToolResult result = run("printf 'a\\377b'");
  EXPECT_EQ(result.content,
            "a\xef\xbf\xbd"
            "b\nexit code: 0");
}

TEST_F(BashTest, StandardInput_IsEmpty) {
  EXPECT_EQ(run("cat").content, "(no output)\nexit code: 0");
}

TEST_F(BashTest, Timeout_KillsAllChildren_KeepsOutput) {
  const ToolResult result =
      run({{"command", "echo $$; trap '' TERM; sleep 60 & wait; wait"}, {"timeout", 200}});
  EXPECT_TRUE(result.is_error);
  EXPECT_THAT(result.content, HasSubstr("did not end within 200 ms"));
  EXPECT_NE(::kill(std::stoi(result.content), 0), 0);
}

TEST_F(BashTest, Cancel_EndsCommand) {
  begin({{"command", "trap '' TERM; echo $$; sleep 60 & wait; wait"}});
  ASSERT_TRUE(scheduler_.run_until([this] { return !shown_.empty(); }));
  const pid_t pid = std::stoi(shown_);
  const auto begun = std::chrono::steady_clock::now();
  cancel_.cancel("The run was cancelled.");
  ASSERT_TRUE(ended());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30))
      << "before its programs end";
  EXPECT_TRUE(result_->is_error);
  EXPECT_THAT(result_->content, HasSubstr("cancelled"));
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST_F(BashTest, CancelBeforeStart_StartsNothing) {
  cancel_.cancel("Not now.");
  const ToolResult result = run("touch made");
  EXPECT_TRUE(result.is_error);
  EXPECT_FALSE(fs::exists(folder_ / "made"));
}

}  // namespace
}  // namespace parley::tool
