// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Tests of the limits of one study and of the number of studies.
#include <gmock/gmock.h>

#include "tests/support/study/study_world.h"

namespace parley::study {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using testing::StudyWorld;

TEST(StudyLimits, StudyAtRecordLimit_TakesOnlyEnd) {
  StudyWorld world;
  world.options().max_records = 3;
  world.start();
  auto recorder = world.open();
  const std::string id = recorder->study().id;
  for (int i = 0; i < 5; ++i) recorder->record({"in", "tool.call", "{}"});
  ASSERT_TRUE(recorder->full().has_value());
  EXPECT_THAT(recorder->full()->message, HasSubstr("studies.records"));
  EXPECT_EQ(world.service().counters().records_refused.load(), 3U);
  ASSERT_TRUE(world.close(std::move(recorder), {"done", false}).has_value());
  EXPECT_THAT(world.lines(id), SizeIs(4));
}

TEST(StudyLimits, StudyAtByteLimit_TakesNoMore) {
  StudyWorld world;
  world.options().max_bytes = 4'000;
  world.start();
  const auto recorder = world.open();
  const std::string payload = R"({"text":")" + std::string(2'000, 'x') + "\"}";
  EXPECT_GT(recorder->record({"in", "tool.call", payload}), 2'000U);
  EXPECT_FALSE(recorder->full());
  EXPECT_GT(recorder->record({"in", "tool.call", payload}), 2'000U);
  EXPECT_EQ(recorder->record({"in", "tool.call", payload}), 0U);
  EXPECT_THAT(recorder->full()->message, HasSubstr("studies.bytes"));
}

TEST(StudyLimits, ResumedStudy_KeepsItsCounts) {
  StudyWorld world;
  world.options().max_bytes = 4'000;
  world.start();
  auto recorder = world.open();
  const std::string payload = R"({"text":")" + std::string(5'000, 'x') + "\"}";
  recorder->record({"in", "tool.call", payload});
  ASSERT_TRUE(world.flush(*recorder).has_value());
  world.kill(std::move(recorder));
  world.start();
  auto again = world.resume();
  ASSERT_NE(again, nullptr);
  EXPECT_TRUE(again->full().has_value());
}

TEST(StudyLimits, FullDisk_OpensNoStudy) {
  StudyWorld world;
  core::WorkGate gate;
  world.options().gate = &gate;
  world.start();
  gate.close("No room.");
  const auto refused = world.try_open(StudyWorld::start_of("default"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "No room.");
  EXPECT_EQ(gate.refused(), 1U);
  gate.open();
  EXPECT_TRUE(world.try_open(StudyWorld::start_of("default")).has_value());
}

}  // namespace
}  // namespace parley::study
