// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "model/event/session_reader.h"
#include "model/event/store_options.h"
#include "model/event/threaded_session_store.h"

namespace parley::event {

// The store in the schema parley_events of a PostgreSQL database. Threads write, each on its own
// connection, and a session always on the same one; two others read. A commit is one transaction,
// sent at once. While the database is away, commits wait in their queues. Holds the lock of the
// data directory as long as the store of a file does.
//
// A server that is no node of a cluster takes the home of every session at each open(): commits of
// an earlier server are refused. With StoreOptions::homes, this is the store of a node.
class PostgresSessionStore final : public ThreadedSessionStore {
 public:
  // `clock` and `entropy` outlive the store. Errors: those of sql::open_store(), and
  // `failed_precondition` (another server uses the data directory; nodes of a cluster use the
  // database, and this server is none).
  static core::Result<std::unique_ptr<PostgresSessionStore>> open(const StoreOptions& options,
                                                                  const core::Clock& clock,
                                                                  core::Entropy& entropy);
  ~PostgresSessionStore() override;  // close(), if it was not called

  core::Result<std::unique_ptr<SessionReader>> make_reader() override;
  HomeEpoch home_epoch(std::string_view owner) const override;
  void close() override;

 private:
  struct Parts;
  PostgresSessionStore(Identity identity, std::unique_ptr<Parts> parts);
  void leave();

  std::unique_ptr<Parts> parts_;
};

// Opens the store at the place that `options` names. Errors: those of its open().
core::Result<std::unique_ptr<ThreadedSessionStore>> open_session_store(const StoreOptions& options,
                                                                       const core::Clock& clock,
                                                                       core::Entropy& entropy);

}  // namespace parley::event
