// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "server/start_failure.h"

#include <gtest/gtest.h>

#include "event/data_dir_lock.h"
#include "sql/database.h"

namespace parley::app {
namespace {

TEST(StartFailure, StoreWithoutMemory_IsNotBroken) {
  const core::Error error{core::Code::internal, "The file a.db failed.",
                          std::string(sql::kNoMemory)};
  const StartFailure failure = data_failure(error, "/data");
  EXPECT_EQ(failure.code, kExitNoMemory);
  EXPECT_EQ(failure.complaint.why, "The file a.db failed.");
}

TEST(StartFailure, DataDirectory_IsInUseOrBroken) {
  core::Error error{core::Code::failed_precondition, "why", std::string(event::kDataDirLocked)};
  EXPECT_EQ(data_failure(error, "/data").code, kExitDataInUse);
  error.field.clear();
  EXPECT_EQ(data_failure(error, "/data").code, kExitDataBroken);
}

}  // namespace
}  // namespace parley::app
