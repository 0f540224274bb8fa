// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "base/core/result.h"
#include "base/sql/database.h"
#include "model/event/event.h"

namespace parley::event {

// Appends decisions (decision.h) to the chains of their workspaces, within the transaction that
// stores their events. One connection, one thread.
class DecisionChain {
 public:
  core::Result<void> prepare(sql::Database& database);
  // Adds the end of an interaction. `session`: the number of its row, which must exist.
  core::Result<void> add(std::int64_t session, const Event& closed);
  // Must be called after a transaction that was rolled back.
  void forget() { heads_.clear(); }

 private:
  struct Head {
    std::uint64_t number = 0;
    std::string hash;
  };

  core::Result<Head*> find_head(const std::string& workspace);

  absl::flat_hash_map<std::string, Head> heads_;
  sql::Statement find_workspace_;
  sql::Statement find_head_;
  sql::Statement insert_;
};

}  // namespace parley::event
