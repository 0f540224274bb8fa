// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/offline_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/temp_folder.h"
#include "tests/support/event/memory_session_store.h"
#include "tests/support/event/opened_store.h"

namespace parley::event {
namespace {

TEST(OfflineStore, FolderWithoutStore_IsNotFound) {
  core::TempFolder directory;
  EXPECT_EQ(open_offline_store(directory.path()).error().code, core::Code::not_found);
  const auto reader = open_offline_reader(directory.path());
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_EQ(*reader, nullptr);
}

class OfflineReadTest : public OpenedStoreTest {};
INSTANTIATE_TEST_SUITE_P(Engines, OfflineReadTest, sql::each_engine(), sql::engine_name);

TEST_P(OfflineReadTest, OfflineRead_SeesCommitsOfServer) {
  open();
  ASSERT_TRUE(caller_->commit(unit_of("s", 1)));
  const auto reader = open_offline_reader(place());
  ASSERT_TRUE(reader) << reader.error().message;
  ASSERT_NE(*reader, nullptr);
  EXPECT_EQ((*reader)->session("s")->last_seq, 1U);
  ASSERT_TRUE(caller_->commit(unit_of("s", 2)));
  EXPECT_EQ((*reader)->session("s")->last_seq, 2U);
}

TEST(OfflineStore, OlderStore_IsLeftUnchangedWithAdvice) {
  core::TempFolder directory;
  make_old_store(directory.path(), 2);
  const auto refused = open_offline_reader(directory.path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, core::Code::failed_precondition);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("Start the server of this version"));
  const auto report = (*open_offline_store(directory.path()))->examine();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->schema_version, 2);
  EXPECT_FALSE(report->counted);
}

// --- readers of a running store --------------------------------------------------------------

template <typename Store>
void expect_lists_all(Store& store) {
  StoreCaller caller(store);
  for (const char* id : {"b", "a", "c"}) ASSERT_TRUE(caller.commit(unit_of(id, 1)));
  const auto reader = store.make_reader();
  ASSERT_TRUE(reader) << reader.error().message;
  const auto page = (*reader)->all_sessions(0, 2);
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->size(), 2U);
  EXPECT_EQ((*page)[0].id, "b");
  const auto rest = (*reader)->all_sessions((*page)[1].place, 2);
  ASSERT_TRUE(rest) << rest.error().message;
  ASSERT_EQ(rest->size(), 1U);
  EXPECT_EQ((*rest)[0].id, "c");
  EXPECT_TRUE((*reader)->all_sessions((*rest)[0].place, 2)->empty());
  EXPECT_EQ((*reader)->session("nobody").error().code, core::Code::not_found);
}

TEST_P(OfflineReadTest, ListsAllSessions_InOrderOfMaking) {
  open();
  expect_lists_all(*store_);
}

TEST(ReaderOfTheStore, InMemory_ListsAllSessions_InOrderOfMaking) {
  MemorySessionStore store;
  expect_lists_all(store);
}

}  // namespace
}  // namespace parley::event
