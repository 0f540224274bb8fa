// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/state_fold.h"

#include <gtest/gtest.h>

namespace parley::runtime {
namespace {

std::string folded(std::initializer_list<std::string_view> states) {
  StateFold fold;
  for (const std::string_view state : states) fold.take(state);
  return fold.text();
}

TEST(StateFold, LengthensTheListOfMessagesAndTakesOtherMembersAsTheyCome) {
  EXPECT_EQ(folded({R"({"messages":[1,2],"a":1,"b":2})", R"({"messages":[3],"log_from":2,"a":5})",
                    R"({"messages":[],"log_from":3,"a":6})"}),
            R"({"messages":[1,2,3],"a":6,"b":2})");
}

TEST(StateFold, CutsTheListWhereANewStretchBegins) {
  EXPECT_EQ(folded({R"({"messages":[1,2,3]})", R"({"messages":[9],"log_from":1})"}),
            R"({"messages":[1,9]})");
  EXPECT_EQ(folded({R"({"messages":[1,2,3]})", R"({"messages":[7]})"}), R"({"messages":[7]})");
}

TEST(StateFold, FollowsTheStateWithinAState) {
  EXPECT_EQ(folded({R"({"core":{"messages":[1],"x":1},"tot":{"depth":0}})",
                    R"({"core":{"messages":[2],"x":2},"log_from":1,"tot":{"depth":1}})",
                    R"({"core":{"messages":[3],"log_from":2}})"}),
            R"({"core":{"messages":[1,2,3],"x":2},"tot":{"depth":1}})");
}

TEST(StateFold, TakesStatesThatAreNoObjects) {
  EXPECT_EQ(folded({}), "");
  EXPECT_EQ(folded({"[1]"}), "[1]");
  EXPECT_EQ(folded({"[1]", R"({"a":1})"}), R"({"a":1})");
}

}  // namespace
}  // namespace parley::runtime
