// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "model/event/session_reader.h"
#include "model/event/store_options.h"
#include "model/event/store_stats.h"
#include "model/event/threaded_session_store.h"

namespace parley::event {

// The store of one machine: one SQLite file in WAL mode with synchronous=FULL. One thread writes,
// in group commits; two read; one checkpoints. Holds the lock of the data directory from open() to
// close(). Each open() raises the home epoch of the file: where locks do not work, as on some
// network disks, the commits of the earlier server are refused. See docs/events.md and
// docs/decisions/0002-event-store.md.
class SqliteSessionStore final : public ThreadedSessionStore {
 public:
  // `clock` and `entropy` outlive the store. Errors: `failed_precondition` (another server uses the
  // directory, or a newer Parley wrote it), `permission_denied`, `data_loss`, `resource_exhausted`.
  static core::Result<std::unique_ptr<SqliteSessionStore>> open(const StoreOptions& options,
                                                                const core::Clock& clock,
                                                                core::Entropy& entropy);
  ~SqliteSessionStore() override;  // close(), if it was not called

  core::Result<std::unique_ptr<SessionReader>> make_reader() override;
  HomeEpoch home_epoch(std::string_view owner) const override;
  void close() override;

  StoreStats stats() const override;

 private:
  struct Parts;
  SqliteSessionStore(Identity identity, std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

// Path of the store's file in a data directory.
std::string store_path(const std::string& data_dir);

}  // namespace parley::event
