// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/identity_poll.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/core/fake_scheduler.h"

namespace parley::app {
namespace {

TEST(SharedRead, ThoseWhoAskBeforeItBegins_ShareIt) {
  core::FakeClock clock;
  core::FakeScheduler thread(clock);
  int reads = 0;
  int answered = 0;
  SharedRead read(thread, [&reads] { ++reads; });
  for (int i = 0; i < 10'000; ++i) read.ask([&answered] { ++answered; });
  thread.run_ready();
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(answered, 10'000);
  read.ask([&] { read.ask([&answered] { ++answered; }); });
  thread.run_ready();
  EXPECT_EQ(reads, 3) << "a read that has begun is too early for who asks then";
  EXPECT_EQ(answered, 10'001);
}

TEST(SharedRead, FailedRead_IsAnswered) {
  core::FakeClock clock;
  core::FakeScheduler thread(clock);
  bool is_answered = false;
  SharedRead read(thread, [] { throw std::runtime_error("no memory"); });
  read.ask([] { throw std::runtime_error("the first"); });
  read.ask([&is_answered] { is_answered = true; });
  thread.run_ready();
  EXPECT_TRUE(is_answered);
}

}  // namespace
}  // namespace parley::app
