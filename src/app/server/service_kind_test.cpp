// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/service_kind.h"

#include <gtest/gtest.h>

namespace parley::app {
namespace {

TEST(ServiceKind, ProcessOfSystemd_IsServiceOfUserOrSystem) {
  EXPECT_EQ(service_kind("7", 7, "0::/system.slice/parley.service\n"), "system");
  EXPECT_EQ(service_kind("7", 7,
                         "0::/user.slice/user-1000.slice/user@1000.service/app.slice/"
                         "parley.service\n"),
            "user");
}

TEST(ServiceKind, ProcessThatInheritedTheVariable_IsNone) {
  EXPECT_EQ(service_kind("6", 7, "0::/system.slice/parley.service\n"), "none");
  EXPECT_EQ(service_kind("", 7, "0::/system.slice/parley.service\n"), "none");
}

}  // namespace
}  // namespace parley::app
