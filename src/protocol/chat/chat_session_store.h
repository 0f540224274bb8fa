// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/clock.h"
#include "core/entropy.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "core/string_map.h"
#include "core/worker.h"
#include "event/file_kind.h"
#include "event/sqlite.h"

namespace parley::chat {

struct ChatSession {
  std::int64_t id = 0;
  std::string code;  // "session_" and 32 hexadecimal digits; the id of the session of its events
  std::string owner;
  std::string title;
  std::string rules;  // what the agent is told beside each message
  std::int64_t created_at_ms = 0;
  std::int64_t updated_at_ms = 0;
};

// DATA/chat.db: the chat sessions of each owner. Nothing of an owner is seen by another.
// Thread-safe; the work is done on a thread of its own, and each callback runs once on the
// scheduler that is named. Calls fail with `not_found`, `invalid_argument` (title, rules),
// `resource_exhausted` (kMaxChatSessions), and as event::Database does.
class ChatSessionStore {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  static event::FileKind file_kind();
  // Makes the file if it is missing. Errors: those of event::Database::open().
  static core::Result<std::unique_ptr<ChatSessionStore>> open(const std::string& path,
                                                              const core::Clock& clock,
                                                              core::Entropy& entropy);
  ~ChatSessionStore();  // stop()
  ChatSessionStore(const ChatSessionStore&) = delete;
  ChatSessionStore& operator=(const ChatSessionStore&) = delete;

  // From memory: for a handshake.
  bool owns(std::string_view owner, std::string_view code) const;

  void create(std::string owner, std::string title, std::string rules, core::Scheduler& scheduler,
              Done<ChatSession> done);
  // The newest first.
  void list(std::string owner, core::Scheduler& scheduler, Done<std::vector<ChatSession>> done);
  void find(std::string owner, std::string code, core::Scheduler& scheduler,
            Done<ChatSession> done);
  // Changes what is given.
  void update(std::string owner, std::string code, std::optional<std::string> title,
              std::optional<std::string> rules, core::Scheduler& scheduler, Done<ChatSession> done);
  void remove(std::string owner, std::string code, core::Scheduler& scheduler, Done<void> done);

  // Does what waits, then ends the thread.
  void stop();

 private:
  ChatSessionStore(event::Database database, const core::Clock& clock, core::Entropy& entropy);
  core::Result<void> load();

  template <typename T, typename Work>
  void run(core::Scheduler& scheduler, Done<T> done, Work work);
  core::Result<ChatSession> insert(ChatSession session);
  core::Result<ChatSession> read(const std::string& owner, const std::string& code);

  event::Database database_;  // of the worker, once it goes on
  const core::Clock& clock_;
  core::Entropy& entropy_;
  mutable std::mutex mutex_;
  core::StringMap<std::string> owners_;  // by code
  core::Worker worker_;                  // last: it uses all the others
};

inline constexpr std::size_t kMaxChatSessions = 10'000;    // of one owner
inline constexpr std::size_t kMaxTitleBytes = 256;         // of a chat session
inline constexpr std::size_t kMaxRulesBytes = 16U << 10U;  // the same
inline constexpr std::string_view kDefaultTitle = "新会话";

}  // namespace parley::chat
