// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/sql/store_place.h"
#include "model/event/session_store.h"
#include "services/search/search_index.h"
#include "services/search/snippet.h"
#include "services/search/statistics.h"

namespace parley::search {

// The time for which changes are gathered before they are indexed.
inline constexpr core::Millis kIndexDelay{200};
// The interval at which all sessions are compared with the index, for events that retention has
// dropped and changes that were not noticed. Nodes of a cluster compare those of which they are the
// home; each compares all when it starts, for what a lost node did not index.
inline constexpr core::Millis kCompareInterval{3'600'000};
// The first pause before sessions that could not be indexed are tried again; each further one is
// twice as long, up to kCompareInterval.
inline constexpr core::Millis kRetryDelay{10'000};
// Beyond this number of changed sessions, all are compared instead.
inline constexpr std::size_t kMaxChangedSessions = 100'000;

// Limit of the queries that wait for the disk thread.
// Limit (/v1): searches that wait. Reached: `resource_exhausted`.
inline constexpr std::size_t kMaxWaitingQueries = 64;

struct Hit {
  Entry entry;
  std::vector<SnippetPart> snippet;  // of its text and answer
};

struct Hits {
  std::vector<Hit> hits;  // newest first
  bool more = false;
};

struct Decisions {
  Page page;
  std::optional<Tally> tally;  // of a query for the like
};

// Search over the sessions of a store, and figures of its questions. One thread that may wait for
// the disk (`disk`) keeps the index in step with the events and serves the queries. An index that
// cannot be read is made again.
class SearchService {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  // `place` of the index. `disk` outlives the service.
  SearchService(sql::StorePlace place, core::Scheduler& disk);
  ~SearchService();
  SearchService(const SearchService&) = delete;
  SearchService& operator=(const SearchService&) = delete;

  // Begins to index. Before `store` is closed, call stop() and run what it posts to `disk`.
  void start(event::SessionStore& store);
  void stop();

  // A unit was stored. Any thread; does not wait.
  void note(const event::Unit& unit);

  // Any thread; `done` is called once on `home`. Errors: `unavailable` (there is no index),
  // `resource_exhausted` (kMaxWaitingQueries), those of SearchIndex. A query sees what was stored
  // kIndexDelay ago.
  void search(Query query, core::Scheduler& home, Done<Hits> done);
  void decisions(DecisionQuery query, core::Scheduler& home, Done<Decisions> done);
  void habits(std::string owner, core::Scheduler& home, Done<std::vector<Habit>> done);
  void statistics(std::string owner, core::WallTime from, core::WallTime to,
                  std::chrono::minutes offset, core::Scheduler& home, Done<Statistics> done);

 private:
  class Indexer;
  std::shared_ptr<Indexer> indexer_;
};

}  // namespace parley::search
