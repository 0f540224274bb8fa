// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/agent_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(GraphText, NodesOfEveryKind_AreShown) {
  const std::pair<Kind, std::string> nodes[] = {{Kind::react, "think"},
                                                {Kind::dup, "understand"},
                                                {Kind::tot, "evaluate"},
                                                {Kind::got, "plan"},
                                                {Kind::agot, "plan"}};
  for (const auto& [kind, node] : nodes) {
    const auto text = graph_text(kind);
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_THAT(text->dot, StartsWith("digraph"));
    EXPECT_THAT(text->mermaid, HasSubstr("flowchart"));
    EXPECT_THAT(text->dot, HasSubstr(node));
    EXPECT_THAT(text->mermaid, HasSubstr(node));
  }
}

}  // namespace
}  // namespace parley::agent
