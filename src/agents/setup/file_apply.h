// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "agents/setup/config_file.h"
#include "agents/setup/file_plan.h"
#include "agents/setup/setup_store.h"
#include "base/core/clock.h"

namespace parley::setup {

enum class FileAction : std::uint8_t { unchanged, created, written, removed, refused, failed };

// "unchanged", "created", ...
std::string_view action_name(FileAction action);

struct FileResult {
  std::filesystem::path path;
  std::string titles;  // of the parts: "MCP entry, hooks"
  FileAction action = FileAction::unchanged;
  std::string reason;            // of a refusal or a failure
  std::string snippet;           // to be added by hand
  std::string diff;              // of a dry run
  std::filesystem::path backup;  // of the old bytes; empty: none
};

struct ApplyOptions {
  std::string_view agent;  // its word
  bool remove = false;
  bool dry_run = false;
  std::filesystem::path project = {};  // empty: the files of the user
  core::WallTime now{};
  BeforeRename before_rename = {};  // for tests
};

// Number of attempts if the file is changed by others meanwhile.
// Limit (parley setup): attempts if another program changes the file. Reached: failed.
inline constexpr int kMaxAttempts = 3;

// Installs the parts of a file, or removes them. A dry run reads only. Equal bytes are not written.
FileResult apply_file(const FilePlan& plan, SetupStore& store, const ApplyOptions& options);

}  // namespace parley::setup
