// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/core/entropy.h"

namespace parley::event {

// The error that a failing disk returns.
enum class DiskFault : std::uint8_t { no_space, io_error };

// A disk for SQLite that fails on command and, at power_off(), loses unsynced writes. Forwards to
// the system's VFS, so the files are real. Thread-safe, except power_on().
class FaultVfs {
 public:
  FaultVfs();
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  // For StoreOptions::vfs.
  const std::string& name() const;

  // After `operations` further successes, writes (or syncs) fail until heal(). A truncation counts
  // as a write.
  void fail_writes_after(std::uint64_t operations, DiskFault fault);
  void fail_syncs_after(std::uint64_t operations, DiskFault fault);
  void heal();

  // Simulates a loss of power: from now on every write, sync and deletion fails.
  void power_off();
  // Restores power. Every file is as it was at its last sync; with `torn`, also with some of the
  // sectors that were written after it. All connections must be closed.
  void power_on(core::Entropy* torn = nullptr);

  std::uint64_t writes() const;
  std::uint64_t syncs() const;

  struct Impl;  // public for the callbacks of SQLite only

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace parley::event
