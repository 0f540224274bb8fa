// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/sql/database.h"

namespace parley::bench {

// SQLite without Parley's store: the event store's tables and durability (WAL, synchronous=FULL)
// with one prepared INSERT. One thread. A failure ends this program.
class BareStore {
 public:
  // `checkpoint_pages`: pages of the log at which a commit checkpoints it. 0: never.
  BareStore(const std::string& path, int checkpoint_pages);
  BareStore(const BareStore&) = delete;
  BareStore& operator=(const BareStore&) = delete;
  ~BareStore() = default;

  void begin() { execute("BEGIN IMMEDIATE"); }
  void insert(std::int64_t session, std::uint64_t seq, core::WallTime at,
              std::string_view direction, std::string_view type, std::string_view payload);
  void commit() { execute("COMMIT"); }
  void checkpoint() { execute("PRAGMA wal_checkpoint(RESTART)"); }
  // Pages of the log after the last commit.
  int log_pages() const { return log_pages_; }

 private:
  void execute(const std::string& sql);

  sql::Database database_;
  sql::Statement insert_;
  int log_pages_ = 0;
};

}  // namespace parley::bench
