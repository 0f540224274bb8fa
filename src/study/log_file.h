// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace parley::study {

// The file of one study's log. Blocks; belongs to one thread. Errors: `resource_exhausted` (the
// disk is full), `permission_denied`, `data_loss`.
class LogFile {
 public:
  // Opens the file or makes it (mode 0600), and the folders above it. Looks through it: whatever
  // does not follow line by line from the beginning, such as a torn last line, is cut off.
  static core::Result<LogFile> open(const std::string& path, std::string_view study_id);

  LogFile() = default;
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  LogFile(LogFile&& other) noexcept;
  LogFile& operator=(LogFile&& other) noexcept;
  ~LogFile();

  bool is_open() const { return fd_ >= 0; }
  // The eventIndex that the next line has.
  std::uint64_t next_index() const { return next_index_; }
  std::uint64_t size() const { return size_; }

  // Appends `lines`, whole ones, of which the last has the index `last_index`. On an error nothing
  // of them stays.
  core::Result<void> append(std::string_view lines, std::uint64_t last_index);
  core::Result<void> sync();  // fdatasync

 private:
  core::Result<void> find_end(std::string_view study_id);

  int fd_ = -1;
  std::uint64_t next_index_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace parley::study
