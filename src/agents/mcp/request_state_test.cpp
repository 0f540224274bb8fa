// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/request_state.h"

#include <gtest/gtest.h>

namespace parley::mcp {
namespace {

const core::WallTime kNow{core::Millis(1'000'000)};
const core::WallTime kUntil{core::Millis(1'060'000)};

class RequestStateTest : public ::testing::Test {
 protected:
  bool opens(const std::string& sealed, const std::string& binding, core::WallTime now = kNow) {
    return state_.open(sealed, binding, now).has_value();
  }
  const RequestState state_{std::string(32, 'k')};
  const std::string sealed_ = state_.seal("question-1", "caller and call", kUntil);
};

TEST_F(RequestStateTest, Sealed_OpensInTime) {
  EXPECT_EQ(*state_.open(sealed_, "caller and call", kNow), "question-1");
  EXPECT_EQ(*state_.open(sealed_, "caller and call", kUntil), "question-1");
  EXPECT_FALSE(opens(sealed_, "caller and call", kUntil + core::Millis(1)));
}

TEST_F(RequestStateTest, AnotherBindingOrKey_IsRefused) {
  EXPECT_FALSE(opens(sealed_, "caller and another call"));
  EXPECT_FALSE(opens(sealed_, ""));
  const RequestState other(std::string(32, 'j'));
  EXPECT_FALSE(other.open(sealed_, "caller and call", kNow));
}

TEST_F(RequestStateTest, EachChangedByte_IsRefused) {
  for (std::size_t i = 0; i < sealed_.size(); ++i) {
    std::string changed = sealed_;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(opens(changed, "caller and call")) << i;
    EXPECT_FALSE(opens(sealed_.substr(0, i), "caller and call")) << i;
  }
  EXPECT_FALSE(opens(sealed_ + "A", "caller and call"));
}

TEST_F(RequestStateTest, ContentWithDots_IsKept) {
  const std::string content = std::string("a.b..c\0d", 8);
  EXPECT_EQ(*state_.open(state_.seal(content, "x", kUntil), "x", kNow), content);
}

}  // namespace
}  // namespace parley::mcp
