// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/cancel.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

namespace parley::core {
namespace {

TEST(Cancel, DefaultToken_IsNeverCancelled) {
  const CancelToken token;
  EXPECT_FALSE(token.cancelled());
  EXPECT_EQ(token.reason(), "");
  const auto registration = token.on_cancel([] { FAIL(); });
}

TEST(Cancel, Callbacks_AreCalledInOrderOnce) {
  CancelSource source;
  std::vector<int> told;
  const auto first = source.token().on_cancel([&] { told.push_back(1); });
  const auto second = source.token().on_cancel([&] { told.push_back(2); });
  source.cancel("enough");
  source.cancel("again");
  EXPECT_EQ(told, (std::vector{1, 2}));
  EXPECT_EQ(source.token().reason(), "enough");
}

TEST(Cancel, LateCallback_IsCalledAtOnce) {
  CancelSource source;
  source.cancel("over");
  bool told = false;
  const auto registration = source.token().on_cancel([&] { told = true; });
  EXPECT_TRUE(told);
}

TEST(Cancel, DestroyedCallback_IsNeverCalled) {
  CancelSource source;
  bool told = false;
  std::optional<CancelToken::Registration> second;
  const auto first = source.token().on_cancel([&] { second.reset(); });
  second = source.token().on_cancel([&] { told = true; });
  source.cancel("enough");
  EXPECT_FALSE(told);
}

TEST(Cancel, Child_IsCancelledWithParentAndAlone) {
  CancelSource parent;
  CancelSource child(parent.token());
  CancelSource other(parent.token());
  child.cancel("child only");
  EXPECT_FALSE(parent.token().cancelled());
  EXPECT_FALSE(other.token().cancelled());
  parent.cancel("all");
  EXPECT_TRUE(other.token().cancelled());
  EXPECT_EQ(other.token().reason(), "all");
  EXPECT_EQ(child.token().reason(), "child only");
}

TEST(Cancel, ChildOfCancelledParent_IsCancelled) {
  CancelSource parent;
  parent.cancel("before");
  const CancelSource child(parent.token());
  EXPECT_TRUE(child.token().cancelled());
  EXPECT_EQ(child.token().reason(), "before");
}

TEST(Cancel, Child_DoesNotKeepParentAlive) {
  auto parent = std::make_unique<CancelSource>();
  const CancelSource child(parent->token());
  auto held = std::make_shared<int>();
  const auto registration = parent->token().on_cancel([held] {});
  parent.reset();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Cancel, ForgottenCallback_IsReleasedUncalled) {
  auto source = std::make_shared<CancelSource>();
  const std::weak_ptr<CancelSource> watched = source;
  bool told = false;
  CancelSource& kept = *source;
  // The callback holds the source and the source holds the callback: a cycle.
  auto registration = source->token().on_cancel([source, &told] { told = true; });
  source.reset();
  ASSERT_FALSE(watched.expired());
  kept.forget();
  EXPECT_TRUE(watched.expired());
  EXPECT_FALSE(told);
}

TEST(Cancel, Forget_ReleasesCallbacksOfChildren) {
  CancelSource above;
  auto below = std::make_unique<CancelSource>(above.token());
  auto lowest = std::make_shared<CancelSource>(below->token());
  const std::weak_ptr<CancelSource> watched = lowest;
  bool told = false;
  // As in production code, the callback holds the source that it is registered on.
  auto kept = lowest->token().on_cancel([lowest, &told] { told = true; });
  lowest.reset();
  EXPECT_FALSE(watched.expired());
  above.forget();
  EXPECT_TRUE(watched.expired());
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace parley::core
