// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "event/session_store.h"
#include "sql/database.h"

namespace parley::event {

// Types that one query may name.
inline constexpr std::size_t kMaxQueryTypes = 32;
// Sessions in one list.
inline constexpr std::size_t kMaxListedSessions = 1'000;

// Reads a store's file on one connection. Synchronous; belongs to one thread. Each call sees one
// moment of the file. The calls are those of SessionStore.
class SqliteSessionReader {
 public:
  static core::Result<std::unique_ptr<SqliteSessionReader>> make(sql::Database database);

  // A session that is not stored has an empty page with last_seq 0. Errors: `invalid_argument`
  // (too many types).
  core::Result<EventPage> read(const ReadQuery& query);
  core::Result<std::uint64_t> count(const std::string& session, const std::string& type);
  core::Result<SessionRow> session(const std::string& id);
  core::Result<std::vector<SessionRow>> sessions(const std::string& owner, std::size_t limit);
  core::Result<std::vector<StoredInteraction>> pending(const std::string& session);
  core::Result<std::optional<StoredInteraction>> interaction(const std::string& session,
                                                             const std::string& key);
  // Ids of all sessions after `after` in order of making, at most `limit`. `after` 0: the first.
  struct NumberedSession {
    std::int64_t number = 0;
    std::string id;
  };
  core::Result<std::vector<NumberedSession>> all_sessions(std::int64_t after, std::size_t limit);

 private:
  explicit SqliteSessionReader(sql::Database database) : database_(std::move(database)) {}
  core::Result<void> prepare();
  core::Result<void> fill_page(const ReadQuery& query, std::int64_t number, EventPage& page);
  core::Result<void> collect(sql::Statement& query, const ReadQuery& wanted, EventPage& page);

  sql::Database database_;
  sql::Statement find_session_;
  sql::Statement page_after_;
  sql::Statement page_before_;
  sql::Statement count_;
  sql::Statement sessions_of_;
  sql::Statement all_sessions_;
  sql::Statement pending_of_;
  sql::Statement pending_all_;
  sql::Statement one_interaction_;
};

}  // namespace parley::event
