// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "model/event/session_store.h"

namespace parley::event {

// Limit of ReadQuery::types.
// Limit (/v1): types in one query. Reached: `invalid_argument`.
inline constexpr std::size_t kMaxQueryTypes = 32;
// Limit of the sessions in one list.
inline constexpr std::size_t kMaxListedSessions = 1'000;

// Reads a session store synchronously, for one thread that may wait for the disk: a command, or a
// reader thread beside the loops. The calls are those of SessionStore.
class SessionReader {
 public:
  SessionReader() = default;
  SessionReader(const SessionReader&) = delete;
  SessionReader& operator=(const SessionReader&) = delete;
  virtual ~SessionReader() = default;

  // A session that is not stored has an empty page with last_seq 0. Errors: `invalid_argument`
  // (too many types).
  virtual core::Result<EventPage> read(const ReadQuery& query) = 0;
  virtual core::Result<std::uint64_t> count(const std::string& session,
                                            const std::string& type) = 0;
  virtual core::Result<SessionRow> session(const std::string& id) = 0;
  virtual core::Result<std::vector<SessionRow>> sessions(const std::string& owner,
                                                         std::size_t limit) = 0;
  // Sessions of all owners in order of creation, at most `limit`. `after`: the place of the last
  // session of the previous page; 0 for the first page.
  virtual core::Result<std::vector<ListedSession>> all_sessions(std::int64_t after,
                                                                std::size_t limit) = 0;
  virtual core::Result<std::vector<PendingSession>> pending_sessions() = 0;
  virtual core::Result<std::vector<StoredInteraction>> pending(const std::string& session) = 0;
  virtual core::Result<std::optional<StoredInteraction>> interaction(const std::string& session,
                                                                     const std::string& key) = 0;
  virtual core::Result<InboxPage> inbox(const InboxQuery& query) = 0;
  virtual core::Result<std::optional<StoredInteraction>> inbox_interaction(
      const std::string& owner, const std::string& key, const std::string& first) = 0;
};

}  // namespace parley::event
