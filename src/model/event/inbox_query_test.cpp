// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The inbox of an owner, as the store lists it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/event/opened_store.h"

namespace parley::event {
namespace {

using testing::ElementsAre;

class InboxQueryTest : public OpenedStoreTest {
 protected:
  InboxQueryTest() { open(); }
};
INSTANTIATE_TEST_SUITE_P(Engines, InboxQueryTest, sql::each_engine(), sql::engine_name);

// The keys of a page with their places.
std::vector<std::string> places(const core::Result<InboxPage>& page) {
  std::vector<std::string> out;
  if (!page) return {page.error().message};
  for (const StoredInteraction& each : page->interactions) {
    out.push_back(each.row.key + " " + std::to_string(each.row.change));
  }
  return out;
}

TEST_P(InboxQueryTest, Page_HasInteractionsOfOwnerByLastChange) {
  const auto ask = [this](const std::string& session, const std::string& key, std::uint64_t seq,
                          bool in_inbox = true) {
    Unit unit = asking_unit(session, key, seq);
    unit.changes[0].in_inbox = in_inbox;
    ASSERT_TRUE(caller_->commit(std::move(unit)));
  };
  ask("s", "a", 1);
  ask("t", "b", 1);
  ask("t", "of the client", 2, false);
  ask("u", "c", 1);
  ASSERT_TRUE(caller_->commit(ending_unit("s", "a", 2, "answered", R"({"answer":1})")));
  EXPECT_THAT(places(caller_->inbox({"owner"})), ElementsAre("b 2", "c 3", "a 4"));
  EXPECT_THAT(places(caller_->inbox({"owner", std::nullopt, true})), ElementsAre("b 2", "c 3"));
  const auto newest = caller_->inbox({"owner", std::nullopt, false, 2});
  EXPECT_THAT(places(newest), ElementsAre("c 3", "a 4"));
  EXPECT_TRUE(newest->more);
  EXPECT_EQ(newest->interactions[1].closed_payload, R"({"answer":1})");
  const auto older = caller_->inbox({"owner", 3, false, 2});
  EXPECT_THAT(places(older), ElementsAre("b 2"));
  EXPECT_FALSE(older->more);
  EXPECT_THAT(places(caller_->inbox({"owner", std::nullopt, false, 9, 1})), ElementsAre("a 4"));
  EXPECT_THAT(places(caller_->inbox({"another"})), ElementsAre());
}

TEST_P(InboxQueryTest, Key_PrefersNamedSession) {
  for (const char* session : {"s", "t"}) {
    Unit unit = asking_unit(session, "k", 1);
    unit.changes[0].in_inbox = true;
    ASSERT_TRUE(caller_->commit(std::move(unit)));
  }
  const auto session_of = [this](const std::string& owner, const std::string& first) {
    const auto found = caller_->inbox_interaction(owner, "k", first);
    return found && *found ? (*found)->row.session : "none";
  };
  EXPECT_EQ(session_of("owner", "s"), "s");
  EXPECT_EQ(session_of("owner", "elsewhere"), "t");
  EXPECT_EQ(session_of("another", "s"), "none");
}

}  // namespace
}  // namespace parley::event
