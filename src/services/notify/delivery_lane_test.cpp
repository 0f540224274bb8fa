// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/delivery_lane.h"

#include <gtest/gtest.h>

#include "tests/support/core/fake_scheduler.h"
#include "tests/support/notify/fake_notifier.h"

namespace parley::notify {
namespace {

using Kind = Delivery::Kind;
using std::chrono::hours;
using std::chrono::seconds;

class DeliveryLaneTest : public testing::Test {
 protected:
  void push(const std::string& id, core::Millis left = hours(1), const std::string& owner = "ann") {
    DeliveryLane::Job job;
    job.owner = owner;
    job.interaction = id;
    job.key = "key-" + id;
    job.deadline = clock_.wall() + left;
    job.make = [this, id]() -> core::Result<Notice> {
      ++made_;
      Notice notice;
      notice.id = id;
      return notice;
    };
    lane_.push(std::move(job));
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{7};
  FakeNotifier notifier_{scheduler_};
  std::vector<std::string> delivered_;
  std::vector<std::string> gone_;
  int made_ = 0;
  DeliveryLane lane_{
      scheduler_,
      entropy_,
      notifier_,
      {[this](const DeliveryLane::Job& job) { delivered_.push_back(job.interaction); },
       [this](const std::string& target) { gone_.push_back(target); }, nullptr}};
};

TEST_F(DeliveryLaneTest, Failure_IsRetriedWithGrowingWaits) {
  notifier_.answers = {{Kind::retry, "No connection."}, {Kind::retry, "No connection."}};
  push("i1");
  scheduler_.run_ready();
  EXPECT_EQ(notifier_.attempts.size(), 1U);
  EXPECT_EQ(lane_.state().failure, "No connection.");
  EXPECT_EQ(lane_.state().waiting, 1U);
  scheduler_.advance(kFirstRetry);
  EXPECT_EQ(notifier_.attempts.size(), 2U);
  scheduler_.advance(seconds(1));
  EXPECT_EQ(notifier_.attempts.size(), 2U) << "the second wait is at least half of 4 s";
  scheduler_.advance(kFirstRetry * 2);
  EXPECT_EQ(notifier_.attempts.size(), 3U);
  EXPECT_EQ(delivered_, std::vector<std::string>{"i1"});
  EXPECT_EQ(lane_.state().failure, "");
  EXPECT_EQ(lane_.state().failures, 2U);
  EXPECT_EQ(lane_.state().delivered, 1U);
  EXPECT_EQ(made_, 1) << "every attempt sends the same links";
}

TEST_F(DeliveryLaneTest, Attempts_AreLimited) {
  for (int i = 0; i < 20; ++i) notifier_.answers.push_back({Kind::retry, "No."});
  push("i1", hours(20));
  scheduler_.advance(hours(5));
  EXPECT_EQ(notifier_.attempts.size(), static_cast<std::size_t>(kMaxAttempts));
  EXPECT_EQ(lane_.state().waiting, 0U);
}

TEST_F(DeliveryLaneTest, FinalFailure_IsNotRetried) {
  notifier_.answers = {{Kind::failed, "401"}, {Kind::gone, "410"}};
  push("i1");
  push("i2");
  scheduler_.advance(hours(1));
  EXPECT_EQ(notifier_.attempts.size(), 2U);
  EXPECT_EQ(gone_.size(), 1U);
  EXPECT_TRUE(delivered_.empty());
}

TEST_F(DeliveryLaneTest, AskedWait_IsKept) {
  notifier_.answers = {{Kind::retry, "429", seconds(90)}};
  push("i1");
  scheduler_.advance(seconds(89));
  EXPECT_EQ(notifier_.attempts.size(), 1U);
  scheduler_.advance(seconds(1));
  EXPECT_EQ(notifier_.attempts.size(), 2U);
}

TEST_F(DeliveryLaneTest, NoAttempt_AfterDeadline) {
  notifier_.answers = {{Kind::retry, "No."}};
  push("i1", seconds(1));
  scheduler_.advance(hours(1));
  EXPECT_EQ(notifier_.attempts.size(), 1U);
  EXPECT_EQ(lane_.state().waiting, 0U);
}

TEST_F(DeliveryLaneTest, EndedQuestion_IsDroppedOrWithdrawn) {
  notifier_.hangs = true;
  for (const char* id : {"a", "b", "c"}) push(id);
  ASSERT_EQ(notifier_.attempts.size(), kMaxAttemptsOfOwner);
  lane_.drop("c");
  EXPECT_EQ(lane_.state().waiting, 2U);
  lane_.drop("a");
  notifier_.held[0](Delivery{});
  EXPECT_EQ(notifier_.withdrawn, std::vector<std::string>{"key-a:"});
  EXPECT_TRUE(delivered_.empty());
  scheduler_.run_ready();
  EXPECT_EQ(notifier_.attempts.size(), 2U);
  EXPECT_EQ(lane_.state().waiting, 1U);
  EXPECT_EQ(lane_.state().delivered, 1U) << "a withdrawal is no notice";
}

TEST_F(DeliveryLaneTest, Owners_TakeTurns) {
  notifier_.hangs = true;
  for (int i = 0; i < 20; ++i) push("a" + std::to_string(i));
  push("b0", hours(1), "bob");
  push("b1", hours(1), "bob");
  const auto tried = [this](std::size_t from) {
    std::string out;
    for (std::size_t i = from; i < notifier_.attempts.size(); ++i) {
      out += notifier_.attempts[i].notice.id + " ";
    }
    return out;
  };
  EXPECT_EQ(tried(0), "a0 a1 b0 b1 ");
  for (int i = 0; i < 10; ++i) push("c" + std::to_string(i), hours(1), "c" + std::to_string(i));
  ASSERT_EQ(notifier_.attempts.size(), kMaxAttemptsAtOnce);
  for (std::size_t i = 0; i < 3; ++i) notifier_.held[i](Delivery{});
  EXPECT_EQ(tried(kMaxAttemptsAtOnce), "c4 c5 c6 ");
}

TEST_F(DeliveryLaneTest, Owner_HasShareOfTheQueue) {
  notifier_.hangs = true;
  for (std::size_t i = 0; i <= kMaxWaitingOfOwner; ++i) push("a" + std::to_string(i));
  EXPECT_EQ(lane_.state().waiting, kMaxWaitingOfOwner);
  EXPECT_EQ(lane_.state().failures, 1U);
  push("b", hours(1), "bob");
  EXPECT_EQ(lane_.state().waiting, kMaxWaitingOfOwner + 1);
}

TEST_F(DeliveryLaneTest, Queue_IsBounded) {
  notifier_.hangs = true;
  for (std::size_t i = 0; i < kMaxWaitingNotices; ++i) {
    push("i" + std::to_string(i), hours(1), i % 2 == 0 ? "ann" : "bob");
  }
  EXPECT_EQ(lane_.state().failures, 0U);
  push("more", hours(1), "eve");
  EXPECT_EQ(lane_.state().failures, 1U);
  EXPECT_EQ(lane_.state().waiting, kMaxWaitingNotices);
}

}  // namespace
}  // namespace parley::notify
