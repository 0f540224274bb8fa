// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/desktop_state.h"

#include <gtest/gtest.h>

namespace parley::desktop {
namespace {

TEST(DesktopState, Tray_FollowsTheReachableServers) {
  EXPECT_EQ(tray_state({}), TrayState::offline);
  EXPECT_EQ(tray_state({{"a", LinkPhase::waiting, 2}}), TrayState::offline);
  EXPECT_EQ(tray_state({{"a", LinkPhase::waiting, 2}, {"b", LinkPhase::online, 0}}),
            TrayState::connected);
  EXPECT_EQ(tray_state({{"a", LinkPhase::online, 1}, {"b", LinkPhase::online, 0}}),
            TrayState::asking);
}

TEST(DesktopState, Line_IsOneObject) {
  DesktopState state;
  state.servers = {{"home \"1\"", LinkPhase::online, 3}};
  state.shown = "waiting";
  EXPECT_EQ(state_line(state),
            R"({"tray":"asking","servers":[{"alias":"home \"1\"","state":"online","waiting":3}],)"
            R"("visible":false,"on_top":false,"paused":false,"shown":"waiting","page":"",)"
            R"("typing":false,"typed":0,"typing_failure":""})");
}

}  // namespace
}  // namespace parley::desktop
