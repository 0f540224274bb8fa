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

#include "core/file_descriptor.h"
#include "core/result.h"

namespace parley::tool {

// A place inside a working folder, existing or not, with every symlink on the way resolved. What is
// done to it goes through `folder`, so that nobody who moves folders or puts symlinks in the way
// meanwhile can lead it elsewhere.
struct Place {
  core::FileDescriptor folder;       // that holds it (O_PATH)
  std::vector<std::string> missing;  // folders below `folder` that are yet to be made
  std::string name;                  // in the last of those; "." for the working folder itself
  std::string path;                  // from the working folder, for people: "src/a.cpp", "."
  bool exists = false;
  struct stat status = {};  // if it exists; of the link itself if links are kept

  bool is_folder() const { return exists && S_ISDIR(status.st_mode); }
  bool is_file() const { return exists && S_ISREG(status.st_mode); }
  bool is_root() const { return path == "."; }
};

// What becomes of a symlink at the very end of a path.
enum class LastLink : std::uint8_t { follow, keep };

// The folder in which a run works, and the paths inside it. Two things count as outside wherever
// they are reached from, by a path, a symlink or a mount: the program's own data, and the system's
// folder of processes (/proc), where files of other processes, and of this one, can be had and some
// files never end. A hard link to a file is that file: it is not told apart. Thread-safe.
class Workspace {
 public:
  // `excluded`, if not empty, is the folder of the program's own data. Errors: `not_found` (no
  // folder), `permission_denied` (also: it is that folder, in it, or in /proc), `invalid_argument`.
  static core::Result<Workspace> open(const std::string& folder, const std::string& excluded = {});

  // Where `path` leads: relative to the folder, or absolute and inside it. Symlinks are followed as
  // long as they lead to places inside. Errors, with `field` "path": `permission_denied` ("path is
  // outside working folder", or not allowed by the system), `invalid_argument` (a NUL byte, too
  // long, a file where a folder should be, a loop of symlinks), `unavailable` (it changed just
  // now).
  core::Result<Place> locate(std::string_view path, LastLink last = LastLink::follow) const;

  // Whether `path` is absolute and names the folder or what is inside, by its letters alone.
  bool holds(std::string_view path) const;

  // True if an open folder (O_PATH is enough) is the program's own data, or of /proc.
  bool forbids(int folder) const;

  // Whether a resolved path from the folder ("a/b") is in what is excluded.
  bool excludes(std::string_view path) const;
  // Whether what is excluded is somewhere below it.
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
  std::string excluded_;  // from the folder: "data"; empty: nothing
  std::optional<Identity> own_data_;
  core::FileDescriptor folder_;
};

// The Error of a system call that failed on a path; what the number says, in words.
core::Error system_error(int number, std::string_view path);

// Refuses what is no ordinary file: folders, devices, pipes, sockets, missing ones. Errors:
// `not_found`, `invalid_argument`.
core::Result<void> require_file(const Place& place);
core::Result<void> require_folder(const Place& place);

}  // namespace parley::tool
