// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/read_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "base/core/temp_folder.h"
#include "model/event/sql_session_reader.h"
#include "tests/support/event/store_fixture.h"

namespace parley::event {
namespace {

constexpr std::size_t kMaxWaiting = 3;

class ReadThreadsTest : public testing::Test {
 protected:
  ReadThreadsTest() {
    std::vector<std::unique_ptr<SessionReader>> readers;
    for (int i = 0; i < 2; ++i) readers.push_back(open());
    threads_.emplace(std::move(readers), kMaxWaiting);
  }
  std::unique_ptr<SessionReader> open() {
    auto database = sql::Database::open(folder_.path() + "/events.db", sql::OpenMode::create);
    EXPECT_TRUE(migrate(*database, entropy_));
    return std::move(*SqlSessionReader::make(std::move(*database)));
  }
  // A read that lasts until release_ is set.
  void push_long() {
    std::promise<void> begun;
    std::future<void> begins = begun.get_future();
    threads_->push([this, begun = std::move(begun)](const auto& /*reader*/) mutable {
      begun.set_value();
      released_.wait();
    });
    begins.wait();
  }

  core::TempFolder folder_;
  core::SeededEntropy entropy_{5};
  std::promise<void> release_;
  std::shared_future<void> released_ = release_.get_future().share();
  std::optional<ReadThreads> threads_;
};

TEST_F(ReadThreadsTest, LongRead_BlocksNoOther) {
  push_long();
  for (int i = 0; i < 10; ++i) {
    std::promise<bool> served;
    threads_->push([&](const core::Result<SessionReader*>& reader) { served.set_value(!!reader); });
    EXPECT_TRUE(served.get_future().get());
  }
  release_.set_value();
}

TEST_F(ReadThreadsTest, WaitingReads_AreBounded_ServedBeforeEnd) {
  push_long();
  push_long();
  std::vector<core::Code> refused;
  std::atomic<int> served = 0;
  for (std::size_t i = 0; i < kMaxWaiting + 1; ++i) {
    threads_->push([&](const core::Result<SessionReader*>& reader) {
      if (reader) ++served;
      if (!reader) refused.push_back(reader.error().code);
    });
  }
  EXPECT_EQ(refused, std::vector{core::Code::resource_exhausted});
  release_.set_value();
  threads_->stop();
  EXPECT_EQ(served, static_cast<int>(kMaxWaiting));
  threads_->push(
      [&](const core::Result<SessionReader*>& reader) { refused.push_back(reader.error().code); });
  EXPECT_EQ(refused.back(), core::Code::unavailable);
}

}  // namespace
}  // namespace parley::event
