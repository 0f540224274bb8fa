// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/program_call.h"

#include <gmock/gmock.h>

namespace parley::app {
namespace {

using ::testing::HasSubstr;

constexpr core::Millis kLong{60'000};

TEST(ProgramCall, End_HasCodeAndBothStreams) {
  const ProgramCall call =
      call_program({"sh", "-c", "echo out; echo 'why \"so\"' >&2; echo more >&2; exit 3"}, kLong);
  EXPECT_EQ(call.exit_code, 3);
  EXPECT_EQ(call.out, "out\n");
  EXPECT_EQ(call.reason(), "why \"so\"");
  EXPECT_FALSE(call.succeeded());
  EXPECT_TRUE(call_program({"true"}, kLong).succeeded());
}

TEST(ProgramCall, MissingProgram_HasSentence) {
  const ProgramCall call = call_program({"parley-no-such-program"}, kLong);
  EXPECT_FALSE(call.exit_code);
  EXPECT_FALSE(call.reason().empty());
}

TEST(ProgramCall, HangingProgram_IsKilled) {
  const ProgramCall call = call_program({"sleep", "3600"}, core::Millis(1));
  EXPECT_FALSE(call.exit_code);
  EXPECT_THAT(call.reason(), HasSubstr("`sleep` did not end"));
}

TEST(ProgramCall, KilledProgram_IsNoSuccess) {
  const ProgramCall call = call_program({"sh", "-c", "kill -9 $$"}, kLong);
  EXPECT_FALSE(call.exit_code);
  EXPECT_THAT(call.reason(), HasSubstr("killed"));
}

TEST(ProgramCall, LongOutput_IsCut) {
  const ProgramCall call =
      call_program({"sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' x"}, kLong);
  EXPECT_TRUE(call.succeeded());
  EXPECT_EQ(call.out.size(), kMaxCallOutput);
}

}  // namespace
}  // namespace parley::app
