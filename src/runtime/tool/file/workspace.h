// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/file_descriptor.h"
#include "base/core/result.h"

namespace parley::tool {

// A place inside a working folder, existing or not, with every symlink on the way resolved. All
// operations go through `folder`, so that folders that are moved, or symlinks that are created
// meanwhile, cannot redirect them.
struct Place {
  core::FileDescriptor folder;       // parent folder (O_PATH)
  std::vector<std::string> missing;  // folders below `folder` that do not exist yet
  std::string name;                  // name in the last of these; "." for the working folder itself
  std::string path;                  // relative to the working folder, for people: "src/a.cpp", "."
  bool exists = false;
  struct stat status = {};  // if it exists; of the link itself with LastLink::keep

  bool is_folder() const { return exists && S_ISDIR(status.st_mode); }
  bool is_file() const { return exists && S_ISREG(status.st_mode); }
  bool is_root() const { return path == "."; }
};

// Treatment of a symlink as the last part of a path.
enum class LastLink : std::uint8_t { follow, keep };

// The working folder of a run, and the paths inside it. Two places count as outside however they
// are reached (by path, symlink or mount): the program's own data, and /proc, which exposes files
// of other processes and of this one, and endless files. A hard link to a file cannot be told from
// the file. Thread-safe.
class Workspace {
 public:
  // `excluded`, if not empty, is the folder of the program's own data. Errors: `not_found` (no such
  // folder), `permission_denied` (also: `folder` is the excluded one, inside it, or in /proc),
  // `invalid_argument`.
  static core::Result<Workspace> open(const std::string& folder, const std::string& excluded = {});

  // Resolves `path`: relative to the folder, or absolute and inside it. Symlinks are followed while
  // they lead to places inside. Errors, with `field` "path": `permission_denied` ("path is outside
  // working folder", or denied by the system), `invalid_argument` (a NUL byte, too long, a file in
  // the place of a folder, a loop of symlinks), `unavailable` (the path changed during the call).
  core::Result<Place> locate(std::string_view path, LastLink last = LastLink::follow) const;

  // True if `path` is absolute and names the folder or a path inside; compares text only.
  bool holds(std::string_view path) const;

  // True if an open folder (O_PATH is enough) belongs to the program's own data or to /proc.
  bool forbids(int folder) const;

  // True if a resolved path relative to the folder ("a/b") is inside the excluded folder.
  bool excludes(std::string_view path) const;
  // True if the excluded folder is somewhere below `path`.
  bool surrounds_excluded(std::string_view path) const;

  const std::string& root() const { return root_; }  // absolute, symlinks resolved

  static constexpr int kMaxLinks = 40;
  static constexpr std::size_t kMaxPathBytes = 4096;

 private:
  class Walk;
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
  };
  core::Result<std::string> inside(std::string_view absolute) const;
  core::Result<void> exclude(const std::string& excluded);
  core::Result<void> check_above() const;

  std::string root_;
  std::string excluded_;  // relative to the folder: "data"; empty: nothing is excluded
  std::optional<Identity> own_data_;
  core::FileDescriptor folder_;
};

// Error of a failed system call on a path, with the error number in words.
core::Error system_error(int number, std::string_view path);

// Refuses everything but an ordinary file: folders, devices, pipes, sockets, missing files. Errors:
// `not_found`, `invalid_argument`.
core::Result<void> require_file(const Place& place);
core::Result<void> require_folder(const Place& place);

}  // namespace parley::tool
