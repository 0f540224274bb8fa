// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/setup/config_file.h"
#include "agents/setup/json_document.h"
#include "base/core/clock.h"
#include "base/core/file_descriptor.h"
#include "base/core/result.h"

namespace parley::setup {

// Limit (parley setup): backups of a file. Reached: the oldest is removed.
inline constexpr std::size_t kMaxBackups = 10;  // of one file
// Limit (parley setup): bytes that `--remove` can restore as they were. Reached: only the entries
// are taken out.
inline constexpr std::size_t kMaxKeptBytes = 1U << 20U;  // of a file whose old bytes are kept
// Limit (parley setup): wait for another `parley setup`. Reached: failed.
inline constexpr core::Millis kLockWait = core::Millis(5'000);

// Facts about a file that setup has changed, so that a removal restores it.
struct SetupNote {
  bool made_file = false;
  std::vector<std::filesystem::path> made_folders;
  std::vector<JsonPath> created;      // members of JSON files
  std::optional<std::string> before;  // the bytes before the first change
  std::string after;                  // SHA-256 of the bytes behind the last one
};

// Parley's own files about changed files, in its data directory: setup-notes.json, setup-backups/
// and setup.lock, all of mode 0600. One at a time: the lock is held until destruction.
class SetupStore {
 public:
  // Makes the directory and waits for the lock, at most kLockWait. Errors: `unavailable`: another
  // setup runs; those of core::make_private_folder(); `invalid_argument`: the notes are not valid.
  static core::Result<SetupStore> open(const std::filesystem::path& data);
  // Reads the notes alone, without a lock and without making anything. Invalid notes count as none.
  static SetupStore look(const std::filesystem::path& data);

  // The note of a file; an empty one if there is none.
  SetupNote note(const std::filesystem::path& file) const;
  core::Result<void> set_note(const std::filesystem::path& file, const SetupNote& note);
  core::Result<void> drop_note(const std::filesystem::path& file);

  // Copies the bytes of a file into setup-backups/TIME-AGENT-NAME and returns that path. Keeps the
  // last kMaxBackups of this agent and name.
  core::Result<std::filesystem::path> back_up(const ConfigFile& file, std::string_view agent,
                                              core::WallTime now) const;

 private:
  core::Result<void> load();
  core::Result<void> save() const;

  std::filesystem::path data_;
  core::FileDescriptor lock_;
  boost::json::object notes_;
};

// The SHA-256 of a text, in hexadecimal digits.
std::string digest_of(std::string_view text);

}  // namespace parley::setup
