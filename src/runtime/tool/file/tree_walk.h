// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "runtime/tool/file/file_access.h"
#include "runtime/tool/file/path_pattern.h"
#include "runtime/tool/file/workspace.h"

namespace parley::tool {

struct WalkOptions {
  bool with_ignored = false;  // also what .gitignore files and .git hide
};

// What a walk comes to.
struct WalkedEntry {
  int folder = -1;            // the descriptor of the folder that holds it, for the call's time
  std::string_view name;      // in it
  std::string_view relative;  // from where the walk began
  std::string path;           // from the working folder
  mode_t type = 0;
};

struct WalkOutcome {
  bool whole = true;           // false: the visitor had enough, or a limit was reached
  std::size_t unreadable = 0;  // folders that could not be opened
};

// Visits all files, symlinks and folders below a folder, each folder's entries by name, a folder
// before what is in it. Symlinks are not followed. .git is passed over, and what .gitignore files
// hide: those of the folders from the working folder down to the one where the walk begins, and of
// those below. Errors: `cancelled`, and what the system says of the first folder.
using Visitor = std::function<bool(const WalkedEntry& entry)>;  // false: enough
core::Result<WalkOutcome> walk_tree(const Workspace& workspace, const Place& from,
                                    const WalkOptions& options, const StopFlag& stop,
                                    const Visitor& visit);

inline constexpr std::size_t kMaxWalkDepth = 128;
inline constexpr std::size_t kMaxWalkedEntries = 1'000'000;

}  // namespace parley::tool
