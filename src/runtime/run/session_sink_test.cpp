// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/session_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/stream/event_reader.h"
#include "tests/support/session/session_fixture.h"

namespace parley::run {
namespace {

using core::Code;
using core::Result;

class SessionSinkTest : public session::SessionTest {
 protected:
  void end_run() {
    sink_->append_durable("reply", "{}",
                          [this](Result<std::uint64_t> seq) { end_ = std::move(seq); });
  }
  std::size_t replies() const {
    std::size_t count = 0;
    for (const event::Event& event : store_.events("s")) count += event.type == "reply" ? 1 : 0;
    return count;
  }

  Result<std::uint64_t> end_ = 0;
  std::vector<Code> failures_;
  std::shared_ptr<SessionSink> sink_ = std::make_shared<SessionSink>(
      *session_, scheduler_, [this](const core::Error& error) { failures_.push_back(error.code); });
};

TEST_F(SessionSinkTest, Watchers_GetTypedEvent_ReplaysParse) {
  const runtime::RunEvent chunk = runtime::MessageChunk{"hello", "a"};
  sink_->emit("run-a-0", chunk);
  scheduler_.run_ready();
  ASSERT_EQ(keeper_.events.size(), 1U);
  const event::Event& shown = keeper_.events[0];
  ASSERT_NE(shown.live, nullptr);
  runtime::EventReader reader;
  EXPECT_EQ(*reader.read(shown).event, chunk);
  const std::vector<event::Event> stored = store_.events("s");
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(stored[0].live, nullptr);
  EXPECT_EQ(stored[0].payload, shown.payload);
  EXPECT_EQ(*reader.read(stored[0]).event, chunk);
}

TEST_F(SessionSinkTest, RunWithLostFlowingEvents_HasNoEnd) {
  store_.hold_flowing();
  sink_->emit("run-0", runtime::MessageChunk{"lost", "a"});
  scheduler_.run_ready();
  store_.lose_held();
  scheduler_.run_ready();
  end_run();
  scheduler_.run_ready();
  ASSERT_FALSE(end_);
  EXPECT_EQ(end_.error().code, Code::data_loss);
  EXPECT_EQ(replies(), 0U);
  EXPECT_THAT(failures_, testing::ElementsAre(Code::data_loss));
}

// The batch is lost, and the session accepts events again, before the run gets the error.
TEST_F(SessionSinkTest, RunWithLostLastBatch_HasNoEnd) {
  store_.fail_next(1, {Code::data_loss, "The disk failed.", ""});
  sink_->emit("run-0", runtime::RunStart{"r", "go", "react"});
  sink_->when_durable([&](const Result<void>& stored) {
    EXPECT_FALSE(stored);
    end_run();
  });
  scheduler_.run_ready();
  ASSERT_FALSE(end_);
  EXPECT_EQ(end_.error().code, Code::data_loss);
  EXPECT_EQ(replies(), 0U);
}

}  // namespace
}  // namespace parley::run
