// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/result.h"

namespace parley::event {

// The field of the error of a data directory that another server has locked.
inline constexpr std::string_view kDataDirLocked = "lock";

// Reserves a data directory for one server: an flock(2) on DATA/lock, which the kernel releases at
// the end of the process, also after a crash. The file holds the pid of the last holder. A child
// process that a killed holder was starting keeps the lock until its exec or its end: if the holder
// no longer exists, acquire() therefore waits for the lock, at most kLetGo, as it does for
// is_held() of another process.
class DataDirLock {
 public:
  // The directory must exist. Errors: `failed_precondition` with the field kDataDirLocked
  // (another process has it; the sentence names its pid), `permission_denied`.
  static core::Result<DataDirLock> acquire(const std::string& data_dir);

  // Makes the directory if it is missing, acquires it, and removes the rights of others from its
  // files. Errors: those of acquire() and of sql::make_data_dir().
  static core::Result<DataDirLock> open(const std::string& data_dir);

  // True if a process has the directory now; false also without a lock file. Writes nothing, and an
  // acquire() at the same time succeeds. Errors: `permission_denied` (this user cannot read it).
  static core::Result<bool> is_held(const std::string& data_dir);

  static constexpr core::Millis kLetGo{2'000};

  DataDirLock() = default;
  DataDirLock(const DataDirLock&) = delete;
  DataDirLock& operator=(const DataDirLock&) = delete;
  DataDirLock(DataDirLock&& other) noexcept;
  DataDirLock& operator=(DataDirLock&& other) noexcept;
  ~DataDirLock();

  void release();

 private:
  explicit DataDirLock(int fd) : fd_(fd) {}

  int fd_ = -1;
};

}  // namespace parley::event
