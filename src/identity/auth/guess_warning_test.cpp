// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/auth/guess_warning.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <sstream>

#include "base/core/guess_limit.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::auth {
namespace {

TEST(GuessWarning, Guessing_IsLoggedOncePerMinute) {
  std::ostringstream log;
  const auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(log);
  auto& sinks = spdlog::default_logger()->sinks();
  sinks.push_back(sink);
  core::FakeClock clock;
  GuessWarning warning("passwords");
  const auto lines = [&log] {
    const std::string text = log.str();
    return std::count(text.begin(), text.end(), '\n');
  };
  for (std::size_t i = 0; i < core::kFreeGuesses; ++i) warning.wrong(clock.mono(), "10.0.0.1");
  EXPECT_EQ(lines(), 0);
  for (std::size_t i = 0; i < core::kFreeGuesses; ++i) warning.wrong(clock.mono(), "10.0.0.1");
  EXPECT_EQ(lines(), 1);
  EXPECT_NE(log.str().find("passwords: 11 wrong attempts"), std::string::npos);
  clock.advance(core::Millis(60'000));
  for (std::size_t i = 0; i <= core::kFreeGuesses; ++i) warning.wrong(clock.mono(), "10.0.0.1");
  EXPECT_EQ(lines(), 2);
  sinks.erase(std::find(sinks.begin(), sinks.end(), sink));
}

}  // namespace
}  // namespace parley::auth
