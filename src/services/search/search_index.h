// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/sql/migration.h"
#include "base/sql/store_place.h"
#include "services/search/entry.h"
#include "services/search/statistics.h"

namespace parley::search {

// Limit (/v1): hits in one page. Reached: `invalid_argument`.
inline constexpr std::size_t kMaxPage = 100;

// Sets of kinds and states as bits, 1 << value.
inline constexpr unsigned kAllKinds = 0b111;
inline constexpr unsigned kAllStates = 0b1111;

// The place after the last hit of a page.
struct Place {
  core::WallTime at;
  std::int64_t id = 0;
};

// Empty texts match everything.
struct Query {
  std::string owner;
  std::string words;  // an entry has all of them; of the last one, its beginning suffices
  unsigned kinds = kAllKinds;
  unsigned states = kAllStates;
  std::string project;  // the directory, or its last segment
  std::string agent;
  std::string person;
  std::optional<core::WallTime> from;  // of the beginning of an entry
  std::optional<core::WallTime> to;
  std::optional<Place> before;
  std::size_t limit = 20;  // at most kMaxPage
};

struct Page {
  std::vector<Entry> entries;  // newest first
  bool more = false;
};

inline constexpr unsigned kAllVerdicts = 0b1110;

// Empty texts match everything.
struct DecisionQuery {
  std::string owner;
  std::optional<session::Action> like;  // those about the like; its agent does not count
  unsigned verdicts = kAllVerdicts;
  std::string project;  // the directory, or its last segment
  std::string agent;
  std::optional<core::WallTime> from;  // of the question
  std::optional<core::WallTime> to;
  std::optional<Place> before;
  std::size_t limit = 20;  // at most kMaxPage
};

// The numbers of decisions about the like.
struct Tally {
  std::uint64_t allowed = 0;
  std::uint64_t lasting = 0;
  std::uint64_t denied = 0;
};

// A command that was allowed again and again.
struct Habit {
  std::string agent;  // its word
  std::string tool;
  std::string command;
  std::uint64_t allowed = 0;
  core::WallTime first_at;
  core::WallTime last_at;
};

// The least number of times that a command of a Habit was allowed.
inline constexpr std::uint64_t kHabitCount = 5;

// Events of one session as far as they change the index.
struct Batch {
  std::string session;
  std::uint64_t first_seq = 1;  // entries of earlier events are removed
  std::uint64_t to = 0;         // the last event that was read
  std::vector<Change> changes;
};

// DATA/search.db. Made from the events; a lost file is made again. Blocks; one thread. Errors:
// those of sql::Database.
class SearchIndex {
 public:
  static const sql::Schema& schema();
  // Makes the file if it is missing, and empties one of another history of events. `epoch`: that of
  // the store. Errors: those of sql::open_store().
  static core::Result<std::unique_ptr<SearchIndex>> open(const sql::StorePlace& place,
                                                         const std::string& epoch);
  virtual ~SearchIndex() = default;

  // The last event of a session that the index has read; 0: none.
  virtual core::Result<std::uint64_t> position(const std::string& session) = 0;
  // Takes all changes of a batch, or none.
  virtual core::Result<void> take(const Batch& batch) = 0;
  // Removes the entries and the position of a session.
  virtual core::Result<void> forget(const std::string& session) = 0;
  virtual core::Result<Page> search(const Query& query) = 0;
  // The questions of an owner that began in [from, to), the newest kMaxFacts.
  virtual core::Result<std::vector<Fact>> facts(const std::string& owner, core::WallTime from,
                                                core::WallTime to) = 0;
  // The permission prompts of an owner that were decided here, newest first.
  virtual core::Result<Page> decisions(const DecisionQuery& query) = 0;
  virtual core::Result<Tally> tally(const std::string& owner, const session::Action& like) = 0;
  // The commands of an owner that were allowed at least kHabitCount times and never denied, the
  // most frequent first; at most kMaxPage.
  virtual core::Result<std::vector<Habit>> habits(const std::string& owner) = 0;
  virtual core::Result<std::uint64_t> count_pending(const std::string& owner) = 0;
};

}  // namespace parley::search
