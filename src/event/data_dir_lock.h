// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/clock.h"
#include "core/result.h"

namespace parley::event {

// The field of the error that another server has the directory.
inline constexpr std::string_view kDataDirLocked = "lock";

// Holds a data directory for one server: an flock(2) on DATA/lock, which the kernel drops when the
// process ends, however it ends. The file keeps the pid of the last holder. A process that the
// holder was just starting when it was killed has the lock until it gets to its exec or its end; so
// where the holder is gone, the lock is waited for, at most kLetGo.
class DataDirLock {
 public:
  // The directory must exist. Errors: `failed_precondition` with the field kDataDirLocked
  // (another process has it; the sentence names its pid), `permission_denied`.
  static core::Result<DataDirLock> acquire(const std::string& data_dir);

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
