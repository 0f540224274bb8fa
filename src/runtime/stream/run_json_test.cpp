// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/run_json.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include "runtime/stream/sample_runs.h"

namespace parley::runtime {
namespace {

TEST(RunJson, HasTheTreeTheFindingsAndTheCounts) {
  const std::string text = tree_json(read_text(sample_run().text() + "nonsense\n"));
  simdjson::dom::parser parser;
  simdjson::dom::element tree;
  ASSERT_EQ(parser.parse(text).get(tree), simdjson::SUCCESS) << text;
  const auto string = [&](const char* pointer) {
    std::string_view out;
    EXPECT_EQ(tree.at_pointer(pointer).get(out), simdjson::SUCCESS) << pointer << "\n" << text;
    return std::string(out);
  };
  EXPECT_EQ(string("/sessions/0/id"), "s1");
  EXPECT_EQ(string("/sessions/0/runs/0/nodes/0/tools/0/arguments/path"), "a.txt");
  EXPECT_EQ(string("/sessions/0/runs/0/state/messages/0/User"), "Hello");
  EXPECT_EQ(string("/sessions/0/runs/0/reply/reply"), "Done.");
  EXPECT_EQ(string("/findings/0/code"), "not_object");
  EXPECT_EQ(std::uint64_t(tree.at_pointer("/findings/0/line")), 25U);
  EXPECT_EQ(std::uint64_t(tree.at_pointer("/counts/errors")), 1U);
}

TEST(RunJson, OfEveryKindOfEventIsJson) {
  SampleStream stream;
  for (const runtime::RunEvent& event : sample_events()) stream.add(event);
  simdjson::dom::parser parser;
  const std::string text = tree_json(read_text(stream.text()));
  EXPECT_EQ(parser.parse(text).error(), simdjson::SUCCESS) << text;
}

}  // namespace
}  // namespace parley::runtime
