// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/file_descriptor.h"
#include "base/core/result.h"
#include "runtime/tool/file/workspace.h"
#include "runtime/tool/worker.h"

namespace parley::tool {

// Identity of a file at the time it was read; detects writes by others since.
struct FileStamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  timespec written = {};
};
FileStamp stamp_of(const struct stat& status);
bool same_file(const FileStamp& one, const FileStamp& other);

// Opens an ordinary file for reading; never waits for a pipe and never wakes a device. Errors:
// those of require_file() and of the system.
core::Result<core::FileDescriptor> open_to_read(const Place& place);
// Opens a folder to list its entries.
core::Result<core::FileDescriptor> open_to_list(const Place& place);

// Reads up to `size` bytes at the descriptor's position; 0 at the end. Errors: of the system.
core::Result<std::size_t> read_some(int fd, char* out, std::size_t size, std::string_view path);
// Writes all of `bytes`. Errors: `resource_exhausted` (full disk), others of the system.
core::Result<void> write_all(int fd, std::string_view bytes, std::string_view path);

struct FileBytes {
  std::string bytes;
  FileStamp stamp;
};
// Reads a whole file. Errors: those of open_to_read(), `resource_exhausted` (larger than `limit`),
// `cancelled`.
core::Result<FileBytes> read_whole(const Place& place, std::size_t limit, const StopFlag& stop);

// An entry of a folder.
struct FolderEntry {
  std::string name;
  mode_t type = 0;  // S_IFREG, S_IFDIR, S_IFLNK, ...
};
// The entries of an open folder without "." and "..", by name. Errors: `cancelled`,
// `resource_exhausted` (more than kMaxFolderEntries), others of the system.
core::Result<std::vector<FolderEntry>> list_folder(int fd, std::string_view path,
                                                   const StopFlag& stop);

// Limit of a file that is edited, searched or read as a whole, in bytes.
// Limit (Tools): file edited, patched, searched; the result of an edit or a patch. Reached: refused
// before it is built; grep skips the file and says so.
inline constexpr std::size_t kMaxWholeFileBytes = 16U << 20U;
// Limit (Tools): entries of a folder. Reached: refused.
inline constexpr std::size_t kMaxFolderEntries = 100'000;

}  // namespace parley::tool
