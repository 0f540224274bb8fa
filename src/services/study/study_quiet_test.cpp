// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Studies without a recorder.
#include <gmock/gmock.h>

#include "tests/support/study/study_world.h"

namespace parley::study {
namespace {

using testing::StudyWorld;

constexpr core::Millis kLong = std::chrono::minutes(30);
constexpr core::Millis kMinuteLater = std::chrono::minutes(1);

// Starts a study and kills its server. Returns the id of the study.
std::string begin_and_kill(StudyWorld& world) {
  world.start();
  auto recorder = world.open();
  std::string id = recorder->study().id;
  EXPECT_TRUE(world.flush(*recorder).has_value());
  world.kill(std::move(recorder));
  return id;
}

TEST(QuietStudy, QuietStudy_AfterTimeout_IsAbandoned) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  const std::string id = recorder->study().id;
  recorder.reset();
  world.settle();
  world.advance(kLong - kMinuteLater);
  EXPECT_EQ(world.find("owner", id)->state, StudyState::open);
  world.advance(kMinuteLater * 2);
  const auto ended = world.find("owner", id);
  EXPECT_EQ(ended->state, StudyState::ended);
  EXPECT_EQ(ended->end_reason, "abandoned");
  EXPECT_NE(world.lines(id).back().find(R"("reason":"abandoned")"), std::string::npos);
}

TEST(QuietStudy, QuietStudy_BeforeTimeout_IsResumed) {
  StudyWorld world;
  world.start();
  auto recorder = world.open();
  const std::string id = recorder->study().id;
  recorder.reset();
  world.settle();
  world.advance(kLong - kMinuteLater * 2);
  auto again = world.resume();
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->study().id, id);
}

TEST(QuietStudy, StudyOfAnotherNode_IsEndedByItsHomeAlone) {
  StudyWorld world;
  bool is_home = true;
  world.options().is_home = [&is_home](std::string_view) { return is_home; };
  const std::string id = begin_and_kill(world);
  is_home = false;
  world.start();
  world.advance(kLong * 2);
  EXPECT_EQ(world.find("owner", id)->state, StudyState::open);
  is_home = true;
  bool is_taken_up = false;
  world.service().take_up([](std::string_view owner) { return owner == "nobody"; }, [] {});
  world.advance(kMinuteLater * 2);
  EXPECT_EQ(world.find("owner", id)->state, StudyState::open) << "it is of another slot";
  world.service().take_up([](std::string_view owner) { return owner == "owner"; },
                          [&is_taken_up] { is_taken_up = true; });
  world.settle();
  EXPECT_TRUE(is_taken_up);
  world.advance(kMinuteLater * 2);
  EXPECT_EQ(world.find("owner", id)->end_reason, "abandoned");
}

TEST(QuietStudy, RecordedStudy_StaysOpenForWeek) {
  StudyWorld world;
  world.start();
  const auto recorder = world.open();
  world.advance(std::chrono::hours(7 * 24));
  EXPECT_EQ(world.find("owner", recorder->study().id)->state, StudyState::open);
}

TEST(QuietStudy, ResumedAndLeftStudy_HasWholeTimeoutAgain) {
  StudyWorld world;
  world.start();
  const std::string id = world.open()->study().id;
  world.settle();
  world.advance(kLong - kMinuteLater * 2);
  auto again = world.resume();
  ASSERT_NE(again, nullptr);
  again->record({"in", "tool.call", "{}"});
  again.reset();
  world.settle();
  world.advance(kLong - kMinuteLater * 2);
  EXPECT_EQ(world.find("owner", id)->state, StudyState::open);
}

TEST(QuietStudy, Timeout_ContinuesOverRestart) {
  StudyWorld world;
  const std::string id = begin_and_kill(world);
  world.clock().advance(kLong);
  world.start();
  // A client joins before any other task has run.
  EXPECT_EQ(world.resume(), nullptr);
  EXPECT_EQ(world.find("owner", id)->end_reason, "abandoned");
}

TEST(QuietStudy, Timeout_AfterRestart_NeedsNoClient) {
  StudyWorld world;
  const std::string id = begin_and_kill(world);
  world.start();
  world.settle();
  world.advance(kLong + kMinuteLater);
  EXPECT_EQ(world.find("owner", id)->end_reason, "abandoned");
}

TEST(QuietStudy, NewStudyInPlace_EndsOldAsAbandoned) {
  StudyWorld world;
  const std::string id = begin_and_kill(world);
  world.clock().advance(kLong);
  world.start();
  auto next = world.open();
  ASSERT_NE(next, nullptr);
  EXPECT_NE(next->study().id, id);
  EXPECT_EQ(world.find("owner", id)->end_reason, "abandoned");
}

TEST(QuietStudy, StudyWithoutRecords_IsEndedToo) {
  StudyWorld world;
  world.options().keep_records = false;
  world.options().write_logs = false;
  world.start();
  const std::string id = world.open()->study().id;
  world.settle();
  world.advance(kLong + kMinuteLater);
  EXPECT_EQ(world.find("owner", id)->end_reason, "abandoned");
}

TEST(QuietStudy, UnendableStudy_IsEndedLater) {
  StudyWorld world;
  world.start();
  const std::string id = world.open()->study().id;
  world.settle();
  world.memory().fail_next(1, {core::Code::resource_exhausted, "full", {}});
  world.advance(kLong + kMinuteLater);
  world.advance(kMinuteLater * 4);
  EXPECT_EQ(world.find("owner", id)->end_reason, "abandoned");
}

}  // namespace
}  // namespace parley::study
