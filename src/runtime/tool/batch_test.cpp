// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <set>

#include "tests/support/core/fake_scheduler.h"

namespace parley::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A tool with calls that the test completes.
class WaitingTool final : public Tool {
 public:
  explicit WaitingTool(std::string name) {
    spec_.name = std::move(name);
    spec_.parameters =
        R"({"type":"object","properties":{"path":{"type":"string"}},"required":["path"]})";
  }
  const model::ToolSpec& spec() const override { return spec_; }
  void run(ToolContext context, boost::json::object arguments, Done done) override {
    contexts.push_back(std::move(context));
    calls.push_back(boost::json::serialize(arguments));
    dones.push_back(std::move(done));
  }
  std::vector<ToolContext> contexts;
  std::vector<std::string> calls;
  std::vector<Done> dones;

 private:
  model::ToolSpec spec_;
};

class BatchTest : public testing::Test {
 protected:
  BatchTest() {
    tools_.add(read_);
    tools_.add(write_);
    batch_ = make_batch(tools_);
  }
  ~BatchTest() override {
    // Breaks the cycle: a call holds its batch, and the batch its tools.
    read_->dones.clear();
    write_->dones.clear();
  }
  void run(boost::json::array calls) {
    result_.reset();
    ToolContext context;
    context.call_id = "c";
    context.scheduler = &scheduler_;
    context.cancel = cancel_.token();
    context.gate = [this](const std::string& tool, const boost::json::object&, auto done) {
      asked_.push_back(tool);
      if (refused_.contains(tool)) return done(ToolResult::error("User rejected."));
      done(std::nullopt);
    };
    boost::json::object arguments;
    arguments["calls"] = std::move(calls);
    batch_->run(std::move(context), std::move(arguments),
                [this](ToolResult result) { result_ = std::move(result); });
    EXPECT_FALSE(result_) << "never inside the call";
    scheduler_.run_ready();
  }
  static boost::json::object call(std::string_view tool, std::string_view path = "p") {
    return {{"tool", tool}, {"parameters", {{"path", path}}}};
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::CancelSource cancel_;
  std::shared_ptr<WaitingTool> read_ = std::make_shared<WaitingTool>("read");
  std::shared_ptr<WaitingTool> write_ = std::make_shared<WaitingTool>("write_file");
  Toolbox tools_;
  ToolPtr batch_;
  std::set<std::string> refused_;
  std::vector<std::string> asked_;
  std::optional<ToolResult> result_;
};

TEST_F(BatchTest, Calls_RunConcurrently_ResultsKeepOrder) {
  run({call("read", "a"), call("write_file", "b")});
  ASSERT_EQ(read_->dones.size(), 1U);
  ASSERT_EQ(write_->dones.size(), 1U);
  EXPECT_EQ(read_->calls[0], R"({"path":"a"})");
  EXPECT_EQ(read_->contexts[0].call_id, "c/1");
  write_->dones[0](ToolResult::error("no room"));
  scheduler_.run_ready();
  EXPECT_FALSE(result_);
  read_->dones[0](ToolResult::ok("text"));
  scheduler_.run_ready();
  ASSERT_TRUE(result_);
  EXPECT_EQ(result_->content, "[1] read: text\n\n[2] write_file: error: no room");
  EXPECT_FALSE(result_->is_error) << "one of them did well";
}

TEST_F(BatchTest, EachCall_PassesGate_RefusalTakesItsPlace) {
  refused_ = {"write_file"};
  run({call("read"), call("write_file")});
  EXPECT_THAT(asked_, ElementsAre("read", "write_file"));
  EXPECT_TRUE(write_->calls.empty());
  read_->dones[0](ToolResult::ok("text"));
  scheduler_.run_ready();
  ASSERT_TRUE(result_);
  EXPECT_THAT(result_->content, HasSubstr("[2] write_file: error: User rejected."));
}

TEST_F(BatchTest, UncallableEntries_AreReportedInPlace) {
  run({call("batch"),
       call("nothing"),
       {{"tool", "read"}},
       {{"tool", 7}},
       {{"tool", "read"}, {"parameters", 3}}});
  ASSERT_TRUE(result_);
  EXPECT_TRUE(result_->is_error) << "all of them failed";
  EXPECT_THAT(result_->content, HasSubstr("[1] batch: error: A batch must not contain a batch."));
  EXPECT_THAT(result_->content, HasSubstr("[2] nothing: error: There is no tool"));
  EXPECT_THAT(result_->content, HasSubstr("path")) << "a required argument is missing";
  EXPECT_TRUE(asked_.empty());
}

TEST_F(BatchTest, LongResults_AreCut) {
  run({call("read")});
  read_->dones[0](ToolResult::ok(std::string(100'000, 'x')));
  scheduler_.run_ready();
  EXPECT_LT(result_->content.size(), 5'000U);
  EXPECT_THAT(result_->content, HasSubstr("bytes are left out"));
}

TEST_F(BatchTest, Batch_TakesOneToTwentyFiveCalls) {
  run({});
  EXPECT_THAT(result_->content, HasSubstr("1 to 25"));
  boost::json::array many;
  for (int i = 0; i < 26; ++i) many.push_back(call("read"));
  run(many);
  EXPECT_THAT(result_->content, HasSubstr("1 to 25"));
  many.pop_back();
  run(many);
  EXPECT_EQ(read_->calls.size(), 25U);
}

TEST_F(BatchTest, Cancel_StopsFurtherCalls) {
  cancel_.cancel("stop");
  run({call("read")});
  ASSERT_TRUE(result_);
  EXPECT_TRUE(result_->is_error);
  EXPECT_TRUE(read_->calls.empty());
}

}  // namespace
}  // namespace parley::tool
