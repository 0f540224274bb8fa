// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/start_failure.h"

#include <gmock/gmock.h>

#include "base/core/temp_folder.h"
#include "base/sql/database.h"
#include "model/event/data_dir_lock.h"

namespace parley::app {
namespace {

using ::testing::HasSubstr;

TEST(StartFailureTest, FullDisk_SaysWhatToDo) {
  const core::TempFolder folder;
  const core::Error full{core::Code::resource_exhausted, "Cannot write endpoint.json.", ""};
  const StartFailure failure = data_failure(full, folder.path());
  EXPECT_EQ(failure.code, kExitDataBroken);
  EXPECT_THAT(failure.complaint.what, HasSubstr("is full"));
  EXPECT_EQ(failure.complaint.why, full.message);
  EXPECT_THAT(failure.complaint.next, HasSubstr("Free space"));
}

TEST(StartFailureTest, OtherFault_IsNotCalledFullDisk) {
  const core::TempFolder folder;
  const StartFailure failure =
      data_failure({core::Code::data_loss, "The file events.db failed.", ""}, folder.path());
  EXPECT_EQ(failure.code, kExitDataBroken);
  EXPECT_THAT(failure.complaint.what, HasSubstr("cannot be used"));
  EXPECT_THAT(failure.complaint.next, HasSubstr("parley doctor"));
}

TEST(StartFailureTest, StoreWithoutMemory_IsNotBroken) {
  const core::TempFolder folder;
  const core::Error error{core::Code::internal, "The file a.db failed.",
                          std::string(sql::kNoMemory)};
  const StartFailure failure = data_failure(error, folder.path());
  EXPECT_EQ(failure.code, kExitNoMemory);
  EXPECT_EQ(failure.complaint.why, "The file a.db failed.");
}

TEST(StartFailureTest, DataDirectoryInUse_IsToldApart) {
  const core::Error error{core::Code::failed_precondition, "why",
                          std::string(event::kDataDirLocked)};
  EXPECT_EQ(data_failure(error, "/data").code, kExitDataInUse);
}

}  // namespace
}  // namespace parley::app
