// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "model/event/session_reader.h"
#include "model/event/store_options.h"
#include "model/event/threaded_session_store.h"

namespace parley::event {

// The store in the schema parley_events of a PostgreSQL database. Threads write, each on its own
// connection, and a session always on the same one; two others read. A commit is one transaction,
// sent at once. While the database is away, commits wait in their queues. Each open() raises the
// home epoch of the database: commits of an earlier server are refused. Holds the lock of the data
// directory as long as the store of a file does.
class PostgresSessionStore final : public ThreadedSessionStore {
 public:
  // `clock` and `entropy` outlive the store. Errors: those of sql::open_store(), and
  // `failed_precondition` (another server uses the data directory).
  static core::Result<std::unique_ptr<PostgresSessionStore>> open(const StoreOptions& options,
                                                                  const core::Clock& clock,
                                                                  core::Entropy& entropy);
  ~PostgresSessionStore() override;  // close(), if it was not called

  core::Result<std::unique_ptr<SessionReader>> make_reader() override;
  void close() override;

 private:
  struct Parts;
  PostgresSessionStore(Identity identity, std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

// Opens the store at the place that `options` names. Errors: those of its open().
core::Result<std::unique_ptr<ThreadedSessionStore>> open_session_store(const StoreOptions& options,
                                                                       const core::Clock& clock,
                                                                       core::Entropy& entropy);

}  // namespace parley::event
