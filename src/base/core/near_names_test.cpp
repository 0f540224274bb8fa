// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/near_names.h"

#include <gmock/gmock.h>

namespace parley::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NearNames, NearestName_ComesFirst) {
  const std::vector<std::string_view> names = {"steps", "start_step", "cfg", "Seed", "denoise"};
  EXPECT_THAT(near_names("step", names), ElementsAre("steps", "start_step"));
  EXPECT_THAT(near_names("seed", names), ElementsAre("Seed"));
  EXPECT_THAT(near_names("denoize", names), ElementsAre("denoise"));
  EXPECT_THAT(near_names("zzz", names), IsEmpty());
  EXPECT_THAT(near_names(std::string(1'000, 's'), names), IsEmpty());
  EXPECT_EQ(did_you_mean("step", names), " Did you mean \"steps\" or \"start_step\"?");
  EXPECT_EQ(listed({"a", "b", "c"}, 2), "\"a\", \"b\" and 1 more");
}

}  // namespace
}  // namespace parley::core
