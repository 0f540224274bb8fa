// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads beside flowing events that wait for their commit.
#include <gtest/gtest.h>

#include "base/core/temp_folder.h"
#include "model/event/sqlite_session_store.h"
#include "tests/support/event/store_fixture.h"

namespace parley::event {
namespace {

class FlowingReadTest : public testing::Test {
 protected:
  std::unique_ptr<SqliteSessionStore> opened() {
    StoreOptions options;
    options.data_dir = directory_.path();
    return std::move(*SqliteSessionStore::open(options, clock_, entropy_));
  }

  core::TempFolder directory_;
  core::FakeClock clock_;
  core::SeededEntropy entropy_{1};
  std::unique_ptr<SqliteSessionStore> store_ = opened();
  StoreCaller caller_{*store_};
};

TEST_F(FlowingReadTest, ReadOfASession_SeesItsEarlierFlowingEvents) {
  ASSERT_TRUE(caller_.commit(unit_of("s", 1)));
  std::uint64_t seq = 1;
  const auto flow = [&] { caller_.append_flowing(unit_of("s", ++seq)); };
  flow();
  EXPECT_EQ(caller_.session("s")->last_seq, 2U);
  flow();
  EXPECT_EQ(*caller_.count("s", "message"), 3U);
  caller_.append_flowing(asking_unit("s", "k", ++seq));
  EXPECT_EQ(caller_.pending("s")->size(), 1U);
  flow();
  ReadQuery after_four;
  after_four.session = "s";
  after_four.after = 4;
  after_four.limit = 10;
  EXPECT_EQ(caller_.read(after_four)->events.size(), 1U);
}

TEST_F(FlowingReadTest, ReadsOfOtherSessions_ForceNoCommits) {
  constexpr std::uint64_t kReads = 200;
  ASSERT_TRUE(caller_.commit(unit_of("s", 1)));
  ASSERT_TRUE(caller_.commit(unit_of("other", 1)));
  const std::uint64_t groups = store_->stats().groups;
  for (std::uint64_t i = 0; i < kReads; ++i) {
    caller_.append_flowing(unit_of("s", i + 2));
    ASSERT_EQ(caller_.session("other")->last_seq, 1U);
    ASSERT_EQ(caller_.sessions("owner", 10)->size(), 2U);
  }
  ASSERT_TRUE(caller_.run_until([&] { return caller_.flowing_answers().size() == kReads; }));
  EXPECT_LT(store_->stats().groups - groups, kReads) << "not one a read";
}

}  // namespace
}  // namespace parley::event
