// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "agents/hook/hook_event.h"
#include "base/core/file_descriptor.h"
#include "base/core/result.h"

namespace parley::hook {

// Limit (parley hook): questions of a session that wait. Reached: silence.
inline constexpr std::size_t kMaxWaitsOfSession = 8;
// Limit (parley hook): questions of a person that wait. Reached: silence.
inline constexpr std::size_t kMaxWaits = 64;

// The waiting hook processes of one person: a file for each, which its process holds locked, so
// that a file without a lock is a process that has ended. The kernel permits signals between
// processes of one person only.
//
// A wait of this process. Its destruction, or the end of the process, ends it.
class HookWait {
 public:
  // Errors: `already_exists` (another process asks about the same call), `resource_exhausted` (too
  // many wait), those of make_private_folder().
  static core::Result<HookWait> begin(const std::filesystem::path& folder, const HookEvent& event);

  HookWait(HookWait&&) = default;
  HookWait& operator=(HookWait&&) = delete;
  ~HookWait();

 private:
  HookWait(std::filesystem::path file, core::FileDescriptor lock)
      : file_(std::move(file)), lock_(std::move(lock)) {}

  std::filesystem::path file_;
  core::FileDescriptor lock_;
};

// Ends the waits which the event shows to be over: with SIGTERM if the tool has run, a person has
// written something else or the turn has ended, with SIGHUP if the session has. Returns their
// number.
std::size_t end_waits(const std::filesystem::path& folder, const HookEvent& event);

}  // namespace parley::hook
