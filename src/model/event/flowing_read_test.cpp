// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads beside flowing events that wait for their commit.
#include <gtest/gtest.h>

#include "tests/support/event/opened_store.h"

namespace parley::event {
namespace {

class FlowingReadTest : public OpenedStoreTest {
 protected:
  FlowingReadTest() { open(); }
};
INSTANTIATE_TEST_SUITE_P(Engines, FlowingReadTest, sql::each_engine(), sql::engine_name);

TEST_P(FlowingReadTest, ReadOfASession_SeesItsEarlierFlowingEvents) {
  ASSERT_TRUE(caller_->commit(unit_of("s", 1)));
  std::uint64_t seq = 1;
  const auto flow = [&] { caller_->append_flowing(unit_of("s", ++seq)); };
  flow();
  EXPECT_EQ(caller_->session("s")->last_seq, 2U);
  flow();
  EXPECT_EQ(*caller_->count("s", "message"), 3U);
  caller_->append_flowing(asking_unit("s", "k", ++seq));
  EXPECT_EQ(caller_->pending("s")->size(), 1U);
  flow();
  ReadQuery after_four;
  after_four.session = "s";
  after_four.after = 4;
  after_four.limit = 10;
  EXPECT_EQ(caller_->read(after_four)->events.size(), 1U);
}

TEST_P(FlowingReadTest, ReadsOfOtherSessions_ForceNoCommits) {
  constexpr std::uint64_t kReads = 200;
  ASSERT_TRUE(caller_->commit(unit_of("s", 1)));
  ASSERT_TRUE(caller_->commit(unit_of("other", 1)));
  const std::uint64_t groups = store_->stats().groups;
  for (std::uint64_t i = 0; i < kReads; ++i) {
    caller_->append_flowing(unit_of("s", i + 2));
    ASSERT_EQ(caller_->session("other")->last_seq, 1U);
    ASSERT_EQ(caller_->sessions("owner", 10)->size(), 2U);
  }
  ASSERT_TRUE(caller_->run_until([&] { return caller_->flowing_answers().size() == kReads; }));
  EXPECT_LT(store_->stats().groups - groups, kReads) << "not one a read";
}

}  // namespace
}  // namespace parley::event
