// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/ask.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::core {
namespace {

struct Home {
  FakeClock clock;
  FakeScheduler scheduler{clock};
  std::vector<Result<int>> answers;

  absl::AnyInvocable<void(Result<int>)> done() {
    return [this](Result<int> answer) { answers.push_back(std::move(answer)); };
  }
};

// Runs `on_end` when it is destroyed.
struct Held {
  explicit Held(std::function<void()> on_end) : at_end(std::move(on_end)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { at_end(); }
  std::function<void()> at_end;
};

TEST(Reply, OnHomesOwnThread_RunsInLaterTask) {
  Home home;
  reply(home.scheduler, home.done(), 7);
  EXPECT_TRUE(home.answers.empty());
  home.scheduler.run_ready();
  ASSERT_EQ(home.answers.size(), 1U);
  EXPECT_EQ(home.answers[0], 7);
}

TEST(Reply, Failure_BecomesResultOfCallback) {
  Home home;
  reply(home.scheduler, home.done(), fail(Code::not_found, "none"));
  const std::function<void(const Result<int>&)> copyable = [&home](const Result<int>& answer) {
    home.answers.push_back(answer);
  };
  reply(home.scheduler, copyable, fail(Code::unavailable, "closed"));
  home.scheduler.run_ready();
  ASSERT_EQ(home.answers.size(), 2U);
  EXPECT_EQ(home.answers[0].error().code, Code::not_found);
  EXPECT_EQ(home.answers[1].error().code, Code::unavailable);
}

TEST(Reply, MoveOnlyResult_ReachesCallback) {
  Home home;
  int seen = 0;
  reply(
      home.scheduler, [&seen](std::unique_ptr<int> value) { seen = *value; },
      std::make_unique<int>(3));
  home.scheduler.run_ready();
  EXPECT_EQ(seen, 3);
}

TEST(ReplyOn, CallOnAnyThread_RunsCallbackAtHome) {
  Home home;
  absl::AnyInvocable<void(Result<int>)> answer = reply_on(home.scheduler, home.done());
  answer(5);
  EXPECT_TRUE(home.answers.empty());
  home.scheduler.run_ready();
  ASSERT_EQ(home.answers.size(), 1U);
  EXPECT_EQ(home.answers[0], 5);
}

TEST(Ask, Scheduler_WorksThereAndRepliesAtHome) {
  Home home;
  FakeScheduler there(home.clock);
  bool worked = false;
  ask(there, "test", home.scheduler, home.done(), [&]() -> Result<int> {
    worked = true;
    return 7;
  });
  ask(there, "test", home.scheduler, home.done(),
      []() -> Result<int> { throw std::runtime_error("no"); });
  home.scheduler.run_ready();
  EXPECT_FALSE(worked);
  there.run_ready();
  EXPECT_TRUE(worked && home.answers.empty());
  home.scheduler.run_ready();
  ASSERT_EQ(home.answers.size(), 2U);
  EXPECT_EQ(home.answers[0], 7);
  EXPECT_EQ(home.answers[1].error().code, Code::internal);
}

TEST(Ask, StoppedWorker_IsUnavailable) {
  Home home;
  Worker worker(home.clock);
  ask(worker, "test", home.scheduler, home.done(), []() -> Result<int> { return 7; });
  ask(worker, "test", home.scheduler, home.done(),
      []() -> Result<int> { throw std::runtime_error("no"); });
  worker.stop();
  ask(worker, "test", home.scheduler, home.done(), []() -> Result<int> { return 8; });
  EXPECT_TRUE(home.answers.empty());
  home.scheduler.run_ready();
  ASSERT_EQ(home.answers.size(), 3U);
  EXPECT_EQ(home.answers[0], 7);
  EXPECT_EQ(home.answers[1].error().code, Code::internal);
  EXPECT_EQ(home.answers[2].error().code, Code::unavailable);
}

TEST(Ask, Callback_IsDestroyedAtHome) {
  Home home;
  Worker worker(home.clock);
  std::promise<void> begin;
  std::promise<void> asked;
  std::promise<void> end;
  bool destroyed = false;
  auto held = std::make_unique<Held>([&destroyed] { destroyed = true; });
  worker.post([&] { begin.get_future().wait(); });
  ask(
      worker, "test", home.scheduler, [held = std::move(held)](const Result<int>&) {},
      []() -> Result<int> { return 7; });
  worker.post([&] {
    asked.set_value();
    end.get_future().wait();
  });
  begin.set_value();
  asked.get_future().wait();  // the worker has run the task of ask() and still keeps it
  EXPECT_FALSE(destroyed);
  home.scheduler.run_ready();
  EXPECT_TRUE(destroyed);
  end.set_value();
  worker.stop();  // it may still be about to wait for `end`
}

struct Owner : std::enable_shared_from_this<Owner> {
  void add(int by) { sum += by; }
  int sum = 0;
};

TEST(UnlessGone, SharedOwner_IsUsedWhileItLives) {
  auto owner = std::make_shared<Owner>();
  const std::weak_ptr<Owner> watched = owner;
  int calls = 0;
  std::function<void(int)> add = unless_gone(owner->weak_from_this(), &Owner::add);
  Task count = unless_gone(watched, [&calls](Owner& alive) { calls += alive.sum; });
  add(2);
  count();
  EXPECT_EQ(owner->sum, 2);
  owner.reset();
  add(2);
  count();
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(calls, 2);
}

TEST(UnlessGone, SharedOwner_LivesUntilUseReturns) {
  auto owner = std::make_shared<Owner>();
  const std::weak_ptr<Owner> watched = owner;
  bool lived = false;
  unless_gone(watched, [&](Owner&) {
    owner.reset();
    lived = !watched.expired();
  })();
  EXPECT_TRUE(lived && watched.expired());
}

TEST(UnlessGone, OwnerBehindPointer_IsUsedWhileItIsSet) {
  Owner owner;
  const auto link = std::make_shared<Owner*>(&owner);
  std::function<void(int)> add = unless_gone(link, &Owner::add);
  add(2);
  *link = nullptr;
  add(2);
  EXPECT_EQ(owner.sum, 2);
}

TEST(UnlessGone, LambdaWithoutCapture_IsNotLargerThanPointer) {
  const auto use = unless_gone(std::weak_ptr<Owner>(), [](Owner& alive) { alive.add(1); });
  EXPECT_EQ(sizeof(use), sizeof(std::weak_ptr<Owner>));
}

TEST(UnlessGone, MoveOnlyArgument_IsPassedOn) {
  auto owner = std::make_shared<Owner>();
  absl::AnyInvocable<void(std::unique_ptr<int>)> take =
      unless_gone(owner->weak_from_this(),
                  [](Owner& alive, std::unique_ptr<int> value) { alive.sum = *value; });
  take(std::make_unique<int>(4));
  EXPECT_EQ(owner->sum, 4);
}

}  // namespace
}  // namespace parley::core
