// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/sql/database.h"
#include "model/event/session_reader.h"

namespace parley::event {

// Reads the file of a store on one connection. Each call sees one snapshot of the file.
class SqlSessionReader final : public SessionReader {
 public:
  static core::Result<std::unique_ptr<SqlSessionReader>> make(sql::Database database);

  core::Result<EventPage> read(const ReadQuery& query) override;
  core::Result<std::uint64_t> count(const std::string& session, const std::string& type) override;
  core::Result<SessionRow> session(const std::string& id) override;
  core::Result<std::vector<SessionRow>> sessions(const std::string& owner,
                                                 std::size_t limit) override;
  core::Result<std::vector<ListedSession>> all_sessions(std::int64_t after,
                                                        std::size_t limit) override;
  core::Result<std::vector<PendingSession>> pending_sessions() override;
  core::Result<std::vector<StoredInteraction>> pending(const std::string& session) override;
  core::Result<std::optional<StoredInteraction>> interaction(const std::string& session,
                                                             const std::string& key) override;
  core::Result<InboxPage> inbox(const InboxQuery& query) override;
  core::Result<std::optional<StoredInteraction>> inbox_interaction(
      const std::string& owner, const std::string& key, const std::string& first) override;

 private:
  explicit SqlSessionReader(sql::Database database) : database_(std::move(database)) {}
  core::Result<void> prepare();
  core::Result<void> fill_page(const ReadQuery& query, std::int64_t number, EventPage& page);
  core::Result<void> collect(sql::Statement& query, const ReadQuery& wanted, EventPage& page);

  sql::Database database_;
  sql::Statement find_session_;
  sql::Statement find_place_;
  sql::Statement page_after_;
  sql::Statement page_before_;
  sql::Statement count_;
  sql::Statement sessions_of_;
  sql::Statement all_sessions_;
  sql::Statement pending_sessions_;
  sql::Statement pending_of_;
  sql::Statement one_interaction_;
  sql::Statement inbox_;
  sql::Statement inbox_pending_;
  sql::Statement inbox_key_;
};

}  // namespace parley::event
