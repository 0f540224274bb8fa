// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/unit_state.h"

#include <gmock/gmock.h>

namespace parley::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using StartState = ServiceStart::State;

mcp::RunningServer server_of_process(std::int64_t pid) {
  return {{"http://127.0.0.1:22080", "t", {}, {}, {}}, pid, "1", 1};
}

UnitState running_unit(std::int64_t pid) {
  return {pid, "active", "running", "success", "enabled"};
}

TEST(UnitStateOf, Lines_AreReadAndOddOnesSkipped) {
  const UnitState unit = unit_state_of(
      "MainPID=77\nActiveState=active\nSubState=running\nResult=success\nUnitFileState=enabled\n"
      "Odd\n=x\nTasks=7");
  EXPECT_EQ(unit.main_pid, 77);
  EXPECT_EQ(unit.active + unit.sub + unit.result + unit.enabled, "activerunningsuccessenabled");
  EXPECT_TRUE(unit.is_up());
  EXPECT_EQ(unit_state_of("MainPID=x\n").main_pid, 0);
  EXPECT_FALSE(unit_state_of("").is_up());
}

TEST(ServiceStart, ServerOfTheUnit_Listens) {
  EXPECT_EQ(service_start(running_unit(77), server_of_process(77)).state, StartState::listening);
}

TEST(ServiceStart, NoServerYet_IsWaitedFor) {
  EXPECT_EQ(service_start(running_unit(77), std::nullopt).state, StartState::starting);
  EXPECT_EQ(service_start({0, "activating", "start", "", ""}, std::nullopt).state,
            StartState::starting);
}

TEST(ServiceStart, ServerOfAnotherProcess_IsNotTakenForIt) {
  const ServiceStart start = service_start(running_unit(88), server_of_process(77));
  EXPECT_EQ(start.state, StartState::failed);
  EXPECT_THAT(start.why, AllOf(HasSubstr("77"), HasSubstr("88")));
}

// systemd calls a unit "activating" while it waits for its next attempt.
TEST(ServiceStart, EndedProcess_IsAFailure) {
  for (const UnitState& unit : {UnitState{0, "activating", "auto-restart", "exit-code", "enabled"},
                                UnitState{0, "failed", "failed", "exit-code", "enabled"}}) {
    const ServiceStart start = service_start(unit, std::nullopt);
    EXPECT_EQ(start.state, StartState::failed);
    EXPECT_THAT(start.why, HasSubstr("exit-code"));
  }
  EXPECT_EQ(service_start({}, std::nullopt).state, StartState::failed);
}

}  // namespace
}  // namespace parley::app
