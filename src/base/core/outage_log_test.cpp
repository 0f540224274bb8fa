// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/outage_log.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <sstream>

namespace parley::core {
namespace {

TEST(OutageLog, FirstFailureAndItsEnd_AreLogged) {
  std::ostringstream log;
  const auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(log);
  auto& sinks = spdlog::default_logger()->sinks();
  sinks.push_back(sink);
  const auto lines = [&log] {
    const std::string text = log.str();
    return std::count(text.begin(), text.end(), '\n');
  };
  OutageLog outage("tokens cannot be read");
  const Result<void> failed = fail(Code::unavailable, "Nobody answers.");
  outage.note({});
  EXPECT_EQ(lines(), 0);
  for (int i = 0; i < 3; ++i) outage.note(failed);
  EXPECT_EQ(lines(), 1);
  EXPECT_NE(log.str().find("tokens cannot be read: Nobody answers."), std::string::npos);
  for (int i = 0; i < 3; ++i) outage.note({});
  EXPECT_EQ(lines(), 2);
  outage.note(failed);
  EXPECT_EQ(lines(), 3);
  sinks.erase(std::find(sinks.begin(), sinks.end(), sink));
}

}  // namespace
}  // namespace parley::core
