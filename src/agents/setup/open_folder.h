// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/core/file_descriptor.h"
#include "base/core/result.h"

namespace parley::setup {

// A folder that is held open, so that a change of its path does not lead elsewhere what is done in
// it. The path is walked name by name from the root, through no symbolic link.
class OpenFolder {
 public:
  OpenFolder() = default;
  // Opens the folder `path`, absolute and without symbolic links, or the nearest one above that
  // exists. Errors: those of core::system_error(); a link on the path is `failed_precondition`.
  static core::Result<OpenFolder> open(const std::filesystem::path& path);

  // Makes the missing folders and appends them to `made`, outermost first. Errors as open().
  core::Result<OpenFolder> with_missing(mode_t mode,
                                        std::vector<std::filesystem::path>& created) const;

  // Descriptor for openat() and the like; of the folder itself if is_whole().
  int fd() const { return fd_.get(); }
  bool is_whole() const { return missing_.empty(); }
  // True if the path still leads to this folder.
  bool is_in_place() const;

 private:
  std::filesystem::path path_;
  core::FileDescriptor fd_;
  std::vector<std::string> missing_;  // names below the open folder
};

}  // namespace parley::setup
