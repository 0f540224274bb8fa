// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/repeated_member.h"

#include <gtest/gtest.h>

namespace parley::tool {
namespace {

constexpr std::size_t kDepth = 64;

TEST(RepeatedMember, SameObject_IsNamed) {
  EXPECT_EQ(repeated_member(R"({"command":"safe","command":"other"})", kDepth), "command");
  EXPECT_EQ(repeated_member(R"({"a":1,"b":{"c":[{"d":1,"e":2,"d":3}]}})", kDepth), "d");
  EXPECT_EQ(repeated_member(R"({"":1,"":2})", kDepth), "");
}

TEST(RepeatedMember, Escapes_DoNotHideIt) {
  EXPECT_EQ(repeated_member(R"({"command":"safe","\u0063ommand":"other"})", kDepth), "command");
  EXPECT_EQ(repeated_member("{\"\\ud83d\\ude00\":1,\"\xf0\x9f\x98\x80\":2}", kDepth),
            "\xf0\x9f\x98\x80");
}

TEST(RepeatedMember, NamesOfDifferentObjects_AreSeparate) {
  EXPECT_FALSE(repeated_member(R"({"a":{"a":[{"a":1},{"a":2}]},"A":3})", kDepth));
  EXPECT_FALSE(repeated_member(R"("{\"a\":1,\"a\":2}")", kDepth)) << "a text, not yet an object";
}

TEST(RepeatedMember, InvalidText_HasNone) {
  EXPECT_FALSE(repeated_member("", kDepth));
  EXPECT_FALSE(repeated_member(R"({"a":1,)", kDepth));
  EXPECT_FALSE(repeated_member(std::string(kDepth + 1, '[') + R"({"a":1,"a":2})", kDepth));
}

}  // namespace
}  // namespace parley::tool
