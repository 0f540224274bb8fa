// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/stored_results.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace parley::tool {
namespace {

namespace fs = std::filesystem;

struct StoredResult {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type at;
};

// Adds the plain files of a session's folder. Skips files that vanish meanwhile.
void add_files_of(const fs::path& folder, std::vector<StoredResult>& out) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    std::error_code vanished;
    if (!fs::is_regular_file(it->symlink_status(vanished))) continue;
    StoredResult file{it->path(), it->file_size(vanished), {}};
    if (!vanished) file.at = it->last_write_time(vanished);
    if (!vanished) out.push_back(std::move(file));
  }
}

std::vector<StoredResult> all_files(const fs::path& root) {
  std::vector<StoredResult> out;
  std::error_code error;
  for (fs::directory_iterator it(root, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    std::error_code vanished;
    if (fs::is_directory(it->symlink_status(vanished))) add_files_of(it->path(), out);
  }
  return out;
}

std::uint64_t bytes_of(const std::vector<StoredResult>& files) {
  std::uint64_t bytes = 0;
  for (const StoredResult& file : files) bytes += file.bytes;
  return bytes;
}

// Removes the oldest until at most this much is left; returns the number of removed bytes.
std::uint64_t remove_oldest(std::vector<StoredResult> files, std::size_t max_files,
                            std::uint64_t max_bytes) {
  std::uint64_t left = bytes_of(files);
  if (files.size() <= max_files && left <= max_bytes) return 0;
  std::sort(files.begin(), files.end(), [](const StoredResult& one, const StoredResult& other) {
    return std::tie(one.at, one.path) < std::tie(other.at, other.path);
  });
  std::uint64_t removed = 0;
  std::size_t count = files.size();
  for (const StoredResult& file : files) {
    if (count <= max_files && left <= max_bytes) break;
    std::error_code error;
    fs::remove(file.path, error);
    if (error) continue;
    --count;
    left -= file.bytes;
    removed += file.bytes;
  }
  return removed;
}

std::uint64_t less(std::uint64_t from, std::uint64_t what) { return from > what ? from - what : 0; }

}  // namespace

void StoredResults::make_room(const std::string& session, std::uint64_t bytes) {
  std::vector<StoredResult> own;
  add_files_of(session, own);
  const std::size_t files = std::max<std::size_t>(limits_.session_files, 1) - 1;
  const std::uint64_t removed =
      remove_oldest(std::move(own), files, less(limits_.session_bytes, bytes));
  const std::lock_guard lock(mutex_);
  if (bytes_) bytes_ = less(*bytes_, removed);
  if (bytes_ && *bytes_ + bytes <= limits_.all_bytes) return;
  std::vector<StoredResult> all = all_files(root_);
  const std::uint64_t there = bytes_of(all);
  bytes_ = there;
  if (there + bytes <= limits_.all_bytes) return;
  // Frees a tenth more than needed, so that not every result scans all files.
  const std::uint64_t goal = less(limits_.all_bytes / 10 * 9, bytes);
  const std::size_t any = all.size();
  bytes_ = less(there, remove_oldest(std::move(all), any, goal));
}

void StoredResults::added(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes_) *bytes_ += bytes;
}

}  // namespace parley::tool
