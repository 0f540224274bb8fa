// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/entropy.h"

namespace parley::event {

// What a disk that fails answers.
enum class DiskFault : std::uint8_t { no_space, io_error };

// A disk for SQLite that fails on command and forgets, in a crash, what was not synced. It stands
// before the system's own VFS, so files are real. Thread-safe, but for power_on().
class FaultVfs {
 public:
  FaultVfs();
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  // For StoreOptions::vfs.
  const std::string& name() const;

  // After `operations` more that succeed, writes (or syncs) fail until heal(). Truncating counts
  // as writing.
  void fail_writes_after(std::uint64_t operations, DiskFault fault);
  void fail_syncs_after(std::uint64_t operations, DiskFault fault);
  void heal();

  // The power goes: from now on every write, sync and deletion fails.
  void power_off();
  // The power is back. Every file is again as it was at its last sync; if `torn` is given, then
  // with some of the sectors that were written after it. All connections must be closed.
  void power_on(core::Entropy* torn = nullptr);

  std::uint64_t writes() const;
  std::uint64_t syncs() const;

  struct Impl;  // known to the callbacks of SQLite only

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace parley::event
