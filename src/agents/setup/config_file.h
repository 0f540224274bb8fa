// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <time.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/setup/open_folder.h"
#include "base/core/result.h"

// Files of other programs, which may change them at any time, and their folders too: all that is
// done to a file happens in the folder in which it was read, which is held open. A path that leads
// to another folder by then counts as a change.
namespace parley::setup {

// Limit (parley setup): a file of an agent. Reached: failed.
inline constexpr std::size_t kMaxConfigBytes = 16U << 20U;

// A file as it was read.
struct ConfigFile {
  std::filesystem::path path;    // as asked for
  std::filesystem::path target;  // behind symbolic links
  OpenFolder folder;             // of the target, or the nearest one above that exists
  bool exists = false;
  std::string text;
  mode_t mode = 0;
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  timespec changed{};
};

// Reads a file; an absent one is no error. `project`: the folder that its target must be below;
// empty: anywhere. Errors: `failed_precondition` if the target is not a regular file of this user,
// is outside the project, or a symbolic link leads nowhere; `resource_exhausted` above
// kMaxConfigBytes; `permission_denied`, `unknown`: it cannot be read.
core::Result<ConfigFile> read_config_file(const std::filesystem::path& path,
                                          const std::filesystem::path& project);

// Called between the writing of the new file and the last check of the old one. For tests.
using BeforeRename = std::function<void()>;

// Replaces the file that was read, unless it has changed since: false, and nothing was written. A
// reader sees the old bytes or the new ones, also after a loss of power. An existing file keeps its
// mode, a new one gets `fresh_mode`. Missing folders are made, and appended to `made_folders`,
// outermost first. Errors: `permission_denied`, `resource_exhausted`, `unknown`.
core::Result<bool> replace_config_file(const ConfigFile& seen, std::string_view text,
                                       mode_t fresh_mode,
                                       std::vector<std::filesystem::path>& made_folders,
                                       const BeforeRename& before_rename = {});

// Removes the file that was read, unless it has changed since (false), then those of `folders` that
// are empty, the last one first. Errors as replace_config_file().
core::Result<bool> remove_config_file(const ConfigFile& seen,
                                      const std::vector<std::filesystem::path>& folders);

// True if `path` is `folder` or below it, both without symbolic links.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace parley::setup
