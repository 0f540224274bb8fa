// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/entropy.h"
#include "base/core/result.h"
#include "runtime/tool/file/file_access.h"

namespace parley::tool {

// A transaction over files: all changes are made, or none. Each new content is first written beside
// its file (so that a full disk does no damage), then all are renamed into place, and a failure in
// between rolls back the changes made so far. Replaced files cannot be rolled back on a file system
// without RENAME_EXCHANGE. After kill -9 at any moment every file is whole, old or new. After
// commit() the new content and names are on the disk. One thread.
class FileChanges {
 public:
  explicit FileChanges(core::Entropy& entropy) : entropy_(entropy) {}
  FileChanges(const FileChanges&) = delete;
  FileChanges& operator=(const FileChanges&) = delete;
  // Rolls back what was not committed.
  ~FileChanges();

  // Prepares a file with this content and creates missing folders. An existing file keeps its mode.
  // With `read`, the change fails with `aborted` if the file is not the one that was read. With
  // `fresh`, it fails with `already_exists` if the file exists by then. Errors: those of the
  // system.
  struct PutOptions {
    std::optional<FileStamp> read;
    bool fresh = false;
    std::optional<mode_t> mode;  // of a new file; empty: the system's default
  };
  core::Result<void> put(const Place& place, std::string_view content, const PutOptions& options);
  // Prepares the removal of a file, or of a symlink (not of its target).
  core::Result<void> remove(const Place& place, std::optional<FileStamp> read);
  // Makes the prepared changes. After an error they are rolled back (see above).
  core::Result<void> commit();

 private:
  enum class Kind : std::uint8_t { replace, add, remove };
  enum class Phase : std::uint8_t {
    prepared,   // the temporary name holds the new content, or nothing (remove)
    exchanged,  // the temporary name holds the old file
    placed,     // the temporary name holds nothing
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

// True if a file's name has the form of the temporary names of changes.
bool is_temporary_name(std::string_view name);

}  // namespace parley::tool
