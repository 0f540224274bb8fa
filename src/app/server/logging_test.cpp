// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/logging.h"

#include <gtest/gtest.h>
#include <spdlog/details/log_msg.h>

namespace parley::app {
namespace {

constexpr std::string_view kForged =
    "GET /\x1b[2K\n2026-01-01 00:00:00.000 error   all tokens leaked \u202etxt";

std::string line_of(spdlog::formatter& formatter, std::string_view message) {
  spdlog::memory_buf_t out;
  formatter.format(
      spdlog::details::log_msg("parley", spdlog::level::info, {message.data(), message.size()}),
      out);
  return {out.data(), out.size()};
}

TEST(Logging, TextForm_KeepsMessageOnSingleLine) {
  const std::string line = line_of(*make_text_formatter(), kForged);
  EXPECT_EQ(line.substr(line.find("info")),
            "info    GET /<U+001B>[2K<U+000A>2026-01-01 00:00:00.000 error   all tokens leaked "
            "<U+202E>txt\n");
}

TEST(Logging, JsonForm_WritesHiddenCharactersOut) {
  const std::string line = line_of(*make_json_formatter(), kForged);
  EXPECT_NE(line.find("<U+202E>txt"), std::string::npos) << line;
  EXPECT_NE(line.find("<U+001B>[2K<U+000A>2026"), std::string::npos) << line;
}

TEST(Logging, ReadableText_StaysUnchanged) {
  const std::string line = line_of(*make_text_formatter(), "agent 部署助手 \U0001f680 مرحبا");
  EXPECT_NE(line.find("agent 部署助手 \U0001f680 مرحبا\n"), std::string::npos) << line;
}

}  // namespace
}  // namespace parley::app
