// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace parley::tool {

// Limits of the stored long results.
struct ResultLimits {
  std::size_t session_files = 1'000;
  std::uint64_t session_bytes = 256ULL << 20U;
  std::uint64_t all_bytes = 4ULL << 30U;  // all sessions together
};

// Frees space among the files DATA/tool-output/SESSION/*, oldest first. Blocks on the disk.
// Thread-safe.
class StoredResults {
 public:
  // `root` is DATA/tool-output.
  StoredResults(std::string root, ResultLimits limits) : root_(std::move(root)), limits_(limits) {}

  // Call before a file of `bytes` is stored in the folder `session`: removes the oldest files of
  // the session, then of all sessions, until the file fits. A file larger than a limit removes all
  // of them.
  void make_room(const std::string& session, std::uint64_t bytes);
  // Call after the file was stored.
  void added(std::uint64_t bytes);

 private:
  const std::string root_;
  const ResultLimits limits_;
  std::mutex mutex_;
  // Size of all files; an upper bound, because sessions are deleted elsewhere. Unknown at first.
  std::optional<std::uint64_t> bytes_;
};

}  // namespace parley::tool
