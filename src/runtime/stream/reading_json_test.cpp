// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/reading_json.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/support/stream/sample_runs.h"

namespace parley::runtime {
namespace {

TEST(ReadingJson, Json_HasRunsFindingsAndCounts) {
  const std::string text = reading_json(read_text(sample_run().text() + "nonsense\n"));
  simdjson::dom::parser parser;
  simdjson::dom::element read;
  ASSERT_EQ(parser.parse(text).get(read), simdjson::SUCCESS) << text;
  const auto string = [&](const char* pointer) {
    std::string_view out;
    EXPECT_EQ(read.at_pointer(pointer).get(out), simdjson::SUCCESS) << pointer << "\n" << text;
    return std::string(out);
  };
  EXPECT_EQ(string("/sessions/0/id"), "s1");
  EXPECT_EQ(string("/sessions/0/runs/0/agent"), "react");
  EXPECT_EQ(std::uint64_t(read.at_pointer("/sessions/0/runs/0/nodes")), 3U);
  EXPECT_EQ(std::uint64_t(read.at_pointer("/sessions/0/runs/0/tools")), 1U);
  EXPECT_EQ(std::uint64_t(read.at_pointer("/sessions/0/runs/0/usage/total_tokens")), 37U);
  EXPECT_EQ(string("/sessions/0/runs/0/reply/reply"), "Done.");
  EXPECT_EQ(string("/findings/0/code"), "not_object");
  EXPECT_EQ(std::uint64_t(read.at_pointer("/findings/0/line")), 25U);
  EXPECT_EQ(std::uint64_t(read.at_pointer("/counts/errors")), 1U);
}

TEST(ReadingJson, EveryKindOfEvent_IsJson) {
  SampleStream stream;
  for (const runtime::RunEvent& event : sample_events()) stream.add(event);
  simdjson::dom::parser parser;
  const std::string text = reading_json(read_text(stream.text()));
  EXPECT_EQ(parser.parse(text).error(), simdjson::SUCCESS) << text;
}

}  // namespace
}  // namespace parley::runtime
