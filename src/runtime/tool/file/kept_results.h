// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace parley::tool {

// How much of long results is kept.
struct KeptLimits {
  std::size_t session_files = 1'000;
  std::uint64_t session_bytes = 256ULL << 20U;
  std::uint64_t all_bytes = 4ULL << 30U;  // of all sessions
};

// Makes room among the files DATA/tool-output/SESSION/*: the oldest go first. Blocks on the disk.
// Thread-safe.
class KeptResults {
 public:
  // `root` is DATA/tool-output.
  KeptResults(std::string root, KeptLimits limits) : root_(std::move(root)), limits_(limits) {}

  // Before a file of `bytes` is put into the folder `session`: removes what is too much of the
  // session, then of all, until it fits. A file larger than a limit empties what is there.
  void make_room(const std::string& session, std::uint64_t bytes);
  // The file is there.
  void added(std::uint64_t bytes);

 private:
  const std::string root_;
  const KeptLimits limits_;
  std::mutex mutex_;
  // Of all files: never less than there is, for sessions are deleted elsewhere. Not known at first.
  std::optional<std::uint64_t> bytes_;
};

}  // namespace parley::tool
