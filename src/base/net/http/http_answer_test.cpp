// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/http_answer.h"

#include <gtest/gtest.h>

namespace parley::net {
namespace {

TEST(DateField, Second_Passes_DateIsWrittenAnew) {
  DateField date;
  const core::WallTime at = core::from_unix_ms(784'111'777'000);
  EXPECT_EQ(date.at(at), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(date.at(at + core::Millis(999)), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(date.at(at + core::Millis(1'000)), "Sun, 06 Nov 1994 08:49:38 GMT");
  EXPECT_EQ(date.at(at), "Sun, 06 Nov 1994 08:49:37 GMT") << "the clock was set back";
}

TEST(DateField, FirstSecondOfEpoch_IsWritten) {
  EXPECT_EQ(DateField().at(core::from_unix_ms(0)), "Thu, 01 Jan 1970 00:00:00 GMT");
}

}  // namespace
}  // namespace parley::net
