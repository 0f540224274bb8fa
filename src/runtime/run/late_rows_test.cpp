// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/late_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tests/support/core/fake_scheduler.h"
#include "tests/support/run/run_world.h"

namespace parley::run {
namespace {

// A list that does not take every row.
class MockRunIndex : public RunIndex {
 public:
  MOCK_METHOD(core::Result<void>, insert, (const Run&, event::HomeEpoch), (override));
  MOCK_METHOD(core::Result<void>, update, (const Run&, event::HomeEpoch), (override));
  MOCK_METHOD(core::Result<std::optional<Run>>, find, (std::string_view), (override));
  MOCK_METHOD(core::Result<RunPage>, search, (const RunQuery&), (override));
  MOCK_METHOD(core::Result<std::vector<Run>>, unfinished, (), (override));
  MOCK_METHOD(core::Result<RunSessionPage>, sessions, (const RunSessionQuery&), (override));
  MOCK_METHOD(core::Result<std::optional<RunSession>>, session,
              (std::string_view, std::string_view), (override));
  MOCK_METHOD(core::Result<void>, remove_session, (std::string_view, std::string_view), (override));
  MOCK_METHOD(core::Result<std::optional<Run>>, last_of, (std::string_view), (override));
  MOCK_METHOD(core::Result<std::string>, session_model, (std::string_view, std::string_view),
              (override));
  MOCK_METHOD(core::Result<std::string>, recorded_tools, (std::string_view), (override));
  MOCK_METHOD(core::Result<void>, keep_tools, (const Run&, std::string_view, event::HomeEpoch),
              (override));
  MOCK_METHOD(core::Result<void>, set_session_model,
              (std::string_view, std::string_view, std::string_view), (override));
};

TEST(LocalRunService, FullDisk_RefusesRun_NextOneStarts) {
  RunWorld world;
  const auto index = std::make_shared<testing::NiceMock<MockRunIndex>>();
  EXPECT_CALL(*index, insert)
      .WillOnce(testing::Return(core::fail(core::Code::resource_exhausted, "The disk is full.")))
      .WillRepeatedly(testing::Return(core::Result<void>()));
  world.options.index = index;
  world.restart();
  const auto refused = world.start("Go");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::resource_exhausted);
  EXPECT_EQ(world.service->counts().live, 0U);
  EXPECT_TRUE(world.start("Go"));
}

// A list whose database is away at first.
struct RunIndexAway : testing::NiceMock<MockRunIndex> {
  RunIndexAway() {
    ON_CALL(*this, update).WillByDefault([this](const Run& run, event::HomeEpoch home) {
      ++attempts;
      if (is_away) return core::Result<void>(core::fail(core::Code::unavailable, "Away."));
      stored = run.id + " " + std::string(state_name(run.state)) + " " + std::to_string(home);
      return core::Result<void>();
    });
  }
  bool is_away = true;
  int attempts = 0;
  std::string stored;
};

Run run_in(RunState state) {
  Run run;
  run.id = "r";
  run.state = state;
  return run;
}

TEST(LateRows, NewestState_IsStoredWhenListAnswers) {
  core::FakeClock clock;
  core::FakeScheduler worker{clock};
  RunIndexAway index;
  const auto rows = std::make_shared<LateRows>(index, worker);
  rows->keep(run_in(RunState::waiting), 3);
  rows->keep(run_in(RunState::finished), 3);
  worker.advance(kLateRowPause * 2);
  EXPECT_EQ(index.attempts, 2);
  index.is_away = false;
  worker.advance(kLateRowPause);
  EXPECT_EQ(index.stored, "r finished 3");
  worker.advance(kLateRowPause * 2);
  EXPECT_EQ(index.attempts, 3) << "once";
}

TEST(LateRows, RowThatIsStoredMeanwhile_IsForgotten) {
  core::FakeClock clock;
  core::FakeScheduler worker{clock};
  RunIndexAway index;
  const auto rows = std::make_shared<LateRows>(index, worker);
  rows->keep(run_in(RunState::waiting), 3);
  rows->forget("r");
  worker.advance(kLateRowPause);
  EXPECT_EQ(index.attempts, 0);
}

TEST(LateRows, RefusedRow_IsNotRepeated) {
  core::FakeClock clock;
  core::FakeScheduler worker{clock};
  testing::NiceMock<MockRunIndex> index;
  EXPECT_CALL(index, update)
      .WillOnce(testing::Return(core::fail(core::Code::owned_elsewhere, "Moved.")));
  const auto rows = std::make_shared<LateRows>(index, worker);
  rows->keep(run_in(RunState::waiting), 3);
  worker.advance(kLateRowPause * 3);
}

TEST(LocalRunService, ListAway_RunThatCouldNotBeListed_IsFailedOnceItAnswers) {
  RunWorld world;
  const auto index = std::make_shared<RunIndexAway>();
  EXPECT_CALL(*index, insert)
      .WillOnce(testing::Return(core::fail(core::Code::unavailable, "Away.")))
      .WillOnce(testing::Return(core::fail(core::Code::already_exists, "It was stored.")));
  world.options.index = index;
  world.restart();
  RunRequest request;
  request.message = model::Message::user("Go");
  request.run_id = "r";
  ASSERT_FALSE(world.start(request));
  ASSERT_FALSE(world.start(request)) << "a client that tries again changes nothing";
  index->is_away = false;
  world.scheduler.advance(kLateRowPause);
  EXPECT_THAT(index->stored, testing::StartsWith("r failed "));
}

TEST(LocalRunService, ListAway_RunThatHasFinished_IsNotResumed) {
  RunWorld world;
  const auto index = std::make_shared<RunIndexAway>();
  run::Run listed;
  ON_CALL(*index, insert).WillByDefault([&listed](const run::Run& run, event::HomeEpoch) {
    listed = run;
    return core::Result<void>();
  });
  ON_CALL(*index, find).WillByDefault([&listed](std::string_view) {
    return core::Result<std::optional<run::Run>>(listed);
  });
  world.options.index = index;
  world.restart();
  const auto started = world.start("Go");
  ASSERT_TRUE(started);
  ASSERT_EQ(listed.state, RunState::running) << "the list has not got its end";
  EXPECT_EQ(world.find(started->id)->state, RunState::finished);
  EXPECT_FALSE(world.resume(started->id));
}

}  // namespace
}  // namespace parley::run
