// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "runtime/tool/file/file_access.h"
#include "runtime/tool/file/path_pattern.h"
#include "runtime/tool/file/workspace.h"

namespace parley::tool {

struct WalkOptions {
  bool with_ignored = false;  // includes .git, and entries that .gitignore files exclude
};

// An entry that the walk visits.
struct WalkedEntry {
  int folder = -1;            // descriptor of the parent folder; valid during the call
  std::string_view name;      // name in that folder
  std::string_view relative;  // path relative to the start of the walk
  std::string path;           // path relative to the working folder
  mode_t type = 0;
};

struct WalkOutcome {
  bool complete = true;        // false: stopped by the visitor or by a limit
  std::size_t unreadable = 0;  // folders that cannot be opened, or are too deep
};

// Visits all files, symlinks and folders below a folder: the entries of each folder by name, a
// folder before its content. Does not follow symlinks. Skips .git, and entries that .gitignore
// files exclude: those of the folders from the working folder down to the start of the walk, and of
// those below. Errors: `cancelled`, and those of the system for the first folder.
using Visitor = std::function<bool(const WalkedEntry& entry)>;  // false: stops the walk
core::Result<WalkOutcome> walk_tree(const Workspace& workspace, const Place& from,
                                    const WalkOptions& options, const StopFlag& stop,
                                    const Visitor& visit);

// Limit (Tools): depth of a walk. Reached: stops and says so.
inline constexpr std::size_t kMaxWalkDepth = 128;
// Limit (Tools): entries that a walk lists. Reached: stops and says so.
inline constexpr std::size_t kMaxWalkedEntries = 1'000'000;

}  // namespace parley::tool
