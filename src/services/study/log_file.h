// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace parley::study {

// fdatasync(2), or a test's replacement for it.
using SyncFile = std::function<int(int fd)>;
int sync_file_data(int fd);

// The file of one study's log. Blocks; belongs to one thread. Errors: `resource_exhausted` (the
// disk is full), `permission_denied`, `data_loss`.
class LogFile {
 public:
  // Opens the file, or creates it (mode 0600) with the folders above it. Reads all of it and
  // truncates it after the longest sequence of whole lines with consecutive indexes, for example
  // before a torn last line. `durable`: number of bytes that are known to be on the disk, from
  // durable() of an earlier object.
  static core::Result<LogFile> open(const std::string& path, std::string_view study_id,
                                    SyncFile sync = sync_file_data, std::uint64_t durable = 0);

  LogFile() = default;
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  LogFile(LogFile&& other) noexcept;
  LogFile& operator=(LogFile&& other) noexcept;
  ~LogFile();

  bool is_open() const { return fd_ >= 0; }
  // The eventIndex of the next line.
  std::uint64_t next_index() const { return next_index_; }
  std::uint64_t size() const { return size_; }

  // Appends whole lines; the last one has the index `last_index`. On an error none of them is kept.
  core::Result<void> append(std::string_view lines, std::uint64_t last_index);
  // Makes the appended lines durable. A failure truncates the file to the part that is known to be
  // durable, and the object must not be used afterwards: the kernel may have dropped the pages that
  // it could not write, and the next fdatasync would succeed without them.
  core::Result<void> sync();
  std::uint64_t durable() const { return durable_; }
  // True after a failed sync() if the file could not be truncated, or if open() had found lines in
  // it that are not known to be durable. None of its lines can be trusted.
  bool is_spoiled() const { return spoiled_; }

 private:
  core::Result<void> find_end(std::string_view study_id);

  int fd_ = -1;
  SyncFile sync_ = sync_file_data;
  std::uint64_t next_index_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t found_ = 0;    // bytes that open() found
  std::uint64_t durable_ = 0;  // bytes that are known to be on the disk
  bool spoiled_ = false;
};

}  // namespace parley::study
