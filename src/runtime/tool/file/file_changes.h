// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/entropy.h"
#include "core/result.h"
#include "runtime/tool/file/file_access.h"

namespace parley::tool {

// Changes of files that are made all or not at all: each new content is written beside its file
// first (so that a full disk spoils nothing), then all take their places by renaming, and a failure
// in the midst takes back what was done. kill -9 in the midst leaves whole files, old or new. After
// commit() the new content and names are on the disk. One thread.
class FileChanges {
 public:
  explicit FileChanges(core::Entropy& entropy) : entropy_(entropy) {}
  FileChanges(const FileChanges&) = delete;
  FileChanges& operator=(const FileChanges&) = delete;
  // Takes back what was not committed.
  ~FileChanges();

  // Prepares a file with this content; folders that are missing are made. A file that is there
  // keeps its mode. With `read`, the change is `aborted` if the file is not the one that was read.
  // With `fresh`, it is `already_exists` if there is one by then. Errors: those of the system.
  struct PutOptions {
    std::optional<FileStamp> read;
    bool fresh = false;
    std::optional<mode_t> mode;  // of a new file; empty: what the system gives
  };
  core::Result<void> put(const Place& place, std::string_view content, const PutOptions& options);
  // Prepares the removal of a file or a symlink (not of what it leads to).
  core::Result<void> remove(const Place& place, std::optional<FileStamp> read);
  // Does what was prepared. After an error nothing has changed.
  core::Result<void> commit();

 private:
  enum class Kind : std::uint8_t { replace, add, remove };
  enum class Phase : std::uint8_t {
    prepared,   // the temporary name has the new content, or nothing (remove)
    exchanged,  // it has the old file
    placed,     // it has nothing
    finished,
  };
  struct Change {
    Kind kind = Kind::replace;
    Phase phase = Phase::prepared;
    core::FileDescriptor folder;
    std::string name;
    std::string temporary;
    std::string path;
    std::optional<FileStamp> read;
    bool fresh = false;
  };
  struct MadeFolder {
    core::FileDescriptor parent;
    std::string name;
  };

  core::Result<core::FileDescriptor> make_missing(const Place& place);
  core::Result<void> check_unchanged(const Change& change) const;
  core::Result<void> apply(Change& change);
  core::Result<void> apply_put(Change& change) const;
  static void take_back(Change& change);
  void sync_folders() const;
  std::string temporary_name();

  core::Entropy& entropy_;
  std::vector<Change> changes_;
  std::vector<MadeFolder> made_;
  bool committed_ = false;
};

// Whether a file's name is one of those under which changes are prepared.
bool is_temporary_name(std::string_view name);

}  // namespace parley::tool
