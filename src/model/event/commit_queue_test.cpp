// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/commit_queue.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/store_fixture.h"

namespace parley::event {
namespace {

using TimePoint = std::chrono::steady_clock::time_point;

class CommitQueueTest : public testing::Test {
 protected:
  QueuedUnit durable(std::uint64_t seq, std::size_t payload = 2) {
    QueuedUnit item = flowing(seq, payload);
    item.flowing = false;
    return item;
  }
  QueuedUnit flowing(std::uint64_t seq, std::size_t payload = 2) {
    QueuedUnit item;
    item.unit = std::make_shared<const Unit>(unit_of("s", seq, std::string(payload, ' ')));
    item.scheduler = &scheduler_;
    item.flowing = true;
    return item;
  }
  static CommitQueue::Push push(CommitQueue& queue, QueuedUnit item) { return queue.push(item); }
  static std::vector<std::uint64_t> seqs(const std::vector<QueuedUnit>& group) {
    std::vector<std::uint64_t> seqs;
    for (const QueuedUnit& item : group) {
      seqs.push_back(item.unit == nullptr ? 0 : item.unit->events.at(0).seq);
    }
    return seqs;
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
};

using Seqs = std::vector<std::uint64_t>;

TEST_F(CommitQueueTest, Group_TakesAllWaitingInOrder) {
  CommitQueue queue({});
  push(queue, flowing(1));
  push(queue, durable(2));
  push(queue, flowing(3));
  EXPECT_EQ(seqs(queue.take(TimePoint::max())), Seqs({1, 2, 3}));
}

TEST_F(CommitQueueTest, Group_IsBoundedInUnitsAndBytes) {
  GroupLimits limits;
  limits.max_units = 2;
  limits.max_bytes = 20'000;
  CommitQueue queue(limits);
  for (std::uint64_t seq = 1; seq <= 3; ++seq) push(queue, durable(seq));
  push(queue, durable(4, 50'000));
  push(queue, durable(5));
  EXPECT_EQ(seqs(queue.take(TimePoint::max())), Seqs({1, 2}));
  EXPECT_EQ(seqs(queue.take(TimePoint::max())), Seqs({3}));
  EXPECT_EQ(seqs(queue.take(TimePoint::max())), Seqs({4}));
  EXPECT_EQ(seqs(queue.take(TimePoint::max())), Seqs({5}));
  EXPECT_EQ(queue.waiting_bytes(), 0U);
}

TEST_F(CommitQueueTest, FlowingUnits_WaitBoundedTime) {
  CommitQueue queue({});
  push(queue, flowing(1));
  const TimePoint begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(queue.take(begin).empty());
  EXPECT_EQ(seqs(queue.take(TimePoint::max())), Seqs({1}));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, kFlowingDelay - core::Millis(10));
}

TEST_F(CommitQueueTest, UnitWithoutRoom_IsRefusedInOrder) {
  GroupLimits limits;
  limits.max_queue = 5'000;
  CommitQueue queue(limits);
  EXPECT_EQ(push(queue, durable(1, 100'000)), CommitQueue::Push::queued);  // alone: always
  EXPECT_EQ(push(queue, durable(2)), CommitQueue::Push::queued);
  EXPECT_EQ(push(queue, flowing(3)), CommitQueue::Push::dropped);
  EXPECT_EQ(seqs(queue.take(TimePoint::max())), Seqs({1, 0}));
  push(queue, durable(4));
  const auto group = queue.take(TimePoint::max());
  ASSERT_EQ(group.size(), 1U);
  EXPECT_FALSE(group[0].refused);
}

TEST_F(CommitQueueTest, Refusal_SaysWhy) {
  GroupLimits limits;
  limits.max_queue = 1;
  CommitQueue queue(limits);
  push(queue, durable(1));
  push(queue, durable(2));
  const auto group = queue.take(TimePoint::max());
  ASSERT_EQ(group.size(), 2U);
  ASSERT_TRUE(group[1].refused);
  EXPECT_EQ(group[1].refused->code, core::Code::resource_exhausted);
}

TEST_F(CommitQueueTest, BytesOfLiveEvents_AreCounted) {
  CommitQueue queue({});
  push(queue, flowing(1));
  const std::size_t before = queue.waiting_bytes();
  QueuedUnit item = flowing(2);
  Unit unit = *item.unit;
  unit.events[0].live = std::make_shared<const Live>(1'000);
  item.unit = std::make_shared<const Unit>(std::move(unit));
  push(queue, std::move(item));
  EXPECT_EQ(queue.waiting_bytes(), 2 * before + 1'000);
}

TEST_F(CommitQueueTest, ClosedQueue_DrainsAndTakesNoMore) {
  CommitQueue queue({});
  push(queue, flowing(1));
  queue.close();
  QueuedUnit late = durable(2);
  EXPECT_EQ(queue.push(late), CommitQueue::Push::closed);
  ASSERT_NE(late.unit, nullptr);
  EXPECT_EQ(late.unit->events.size(), 1U);
  EXPECT_FALSE(queue.drained());
  EXPECT_EQ(seqs(queue.take(TimePoint::max())), Seqs({1}));
  EXPECT_TRUE(queue.take(TimePoint::max()).empty());
  EXPECT_TRUE(queue.drained());
}

TEST_F(CommitQueueTest, WaitingWriter_IsWoken) {
  CommitQueue queue({});
  std::vector<QueuedUnit> group;
  std::thread writer([&] { group = queue.take(TimePoint::max()); });
  push(queue, durable(1));
  writer.join();
  EXPECT_EQ(seqs(group), Seqs({1}));
}

TEST_F(CommitQueueTest, Writer_GathersAsManyAsLastGroup) {
  GroupLimits limits;
  limits.gather = std::chrono::seconds(20);  // longer than the test
  CommitQueue queue(limits);
  push(queue, durable(1));
  push(queue, durable(2));
  EXPECT_EQ(queue.take(TimePoint::max()).size(), 2U);
  push(queue, durable(3));
  std::vector<QueuedUnit> group;
  std::thread writer([&] { group = queue.take(TimePoint::max()); });
  push(queue, durable(4));
  writer.join();
  EXPECT_EQ(seqs(group), Seqs({3, 4}));
}

TEST(MaxLostNumbers, Bound_CoversQueueAndGroup_Rounded) {
  GroupLimits limits;
  const std::uint64_t usual = max_lost_numbers(limits);
  EXPECT_EQ(usual % 1'000'000, 0U);
  EXPECT_GT(usual * sizeof(Event), limits.max_queue + limits.max_bytes);
  limits.max_queue *= 1'000;
  EXPECT_GT(max_lost_numbers(limits) * sizeof(Event), limits.max_queue);
  limits = {.max_bytes = 1, .max_queue = 1};
  EXPECT_EQ(max_lost_numbers(limits), 1'000'000U);
}

}  // namespace
}  // namespace parley::event
