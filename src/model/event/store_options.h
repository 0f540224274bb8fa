// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/sql/store_place.h"
#include "model/event/commit_queue.h"
#include "model/event/retention.h"
#include "model/event/session_store.h"
#include "model/placement/home_map.h"

namespace parley::event {

struct StoreOptions {
  // The data directory is made if it is missing; without a URL the file is DATA/events.db.
  sql::StorePlace place;
  std::string vfs;  // SQLite's VFS; empty: the default one
  GroupLimits group;
  Retention retention;
  std::size_t max_cached_sessions = 65'536;
  // Limit (The store): waiting reads. Reached: `resource_exhausted`.
  std::size_t max_waiting_reads = 10'000;  // further reads fail with `resource_exhausted`
  // The store calls this on its writing thread after each stored unit; it must not wait.
  std::function<void(const Unit&)> on_stored = {};
  // PostgreSQL: the slots of this node of a cluster, which others write; outlives the store. Null:
  // the server is alone.
  const placement::HomeMap* homes = nullptr;
  int page_cache_kib = 16'384;   // for the writer, and as much for all readers together
  int checkpoint_pages = 4'000;  // pages added to the log that trigger a checkpoint on
                                 // its thread
  int restart_pages = 16'384;    // pages in the log from which the writer itself makes the
                                 // checkpoint, so that the log restarts even under constant load
};

}  // namespace parley::event
