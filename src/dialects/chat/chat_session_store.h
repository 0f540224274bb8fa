// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/sql/migration.h"
#include "base/sql/store_place.h"
#include "runtime/run/run.h"

namespace parley::chat {

struct ChatSession {
  std::int64_t id = 0;
  // "session_" and 32 hexadecimal digits; also the id of the session of its events
  std::string code;
  std::string owner;
  std::string title;
  std::string rules;           // added to each message for the agent
  std::string comfyui_server;  // ServerRegistry id; empty: the session names none
  std::int64_t created_at_ms = 0;
  std::int64_t updated_at_ms = 0;
  // Tools that the owner allows in this session or in all; filled by find() only.
  run::AllowedTools allowed_tools = {};
};

// A tool whose calls need no approval, although a policy says "ask".
struct AllowedTool {
  run::ToolOrigin tool;
  std::string session;  // code; empty: all sessions of the owner
};

// Members of a chat session as its owner sends them. Absent: the default in a new session, no
// change in an existing one.
struct ChatSessionDraft {
  std::optional<std::string> title = {};
  std::optional<std::string> rules = {};
  std::optional<std::string> comfyui_server = {};
};

// DATA/chat.db: the chat sessions of each owner. Owners are isolated from each other. Thread-safe;
// the work is done on a thread of its own, and each callback is called once on the scheduler that
// the caller names. Errors: `not_found`, `invalid_argument` (field: "title", "rules",
// "comfyuiServerId"), `resource_exhausted` (kMaxChatSessions), and those of sql::Database.
class ChatSessionStore {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  static const sql::Schema& schema();
  // Creates the file if it is missing. Errors: those of sql::open_store().
  static core::Result<std::unique_ptr<ChatSessionStore>> open(const sql::StorePlace& place,
                                                              const core::Clock& clock,
                                                              core::Entropy& entropy);
  virtual ~ChatSessionStore() = default;

  // Answers from memory, without waiting for the database; for handshakes.
  virtual bool owns(std::string_view owner, std::string_view code) const = 0;

  virtual void create(std::string owner, ChatSessionDraft draft, core::Scheduler& scheduler,
                      Done<ChatSession> done) = 0;
  // Newest first.
  virtual void list(std::string owner, core::Scheduler& scheduler,
                    Done<std::vector<ChatSession>> done) = 0;
  virtual void find(std::string owner, std::string code, core::Scheduler& scheduler,
                    Done<ChatSession> done) = 0;
  // Changes the members that the draft has.
  virtual void update(std::string owner, std::string code, ChatSessionDraft draft,
                      core::Scheduler& scheduler, Done<ChatSession> done) = 0;
  virtual void remove(std::string owner, std::string code, core::Scheduler& scheduler,
                      Done<void> done) = 0;

  // Further errors: `resource_exhausted` (kMaxAllowedTools).
  virtual void allow(std::string owner, AllowedTool tool, core::Scheduler& scheduler,
                     Done<void> done) = 0;
  // An empty source stands for the tools of this name from every source.
  virtual void disallow(std::string owner, AllowedTool tool, core::Scheduler& scheduler,
                        Done<void> done) = 0;
  virtual void list_allowed(std::string owner, core::Scheduler& scheduler,
                            Done<std::vector<AllowedTool>> done) = 0;

  // Completes the queued calls, then ends the thread.
  virtual void stop() = 0;
};

// Limit (Chats): chat sessions of a token. Reached: error in the wrapper.
inline constexpr std::size_t kMaxChatSessions = 10'000;  // per owner
// Limit (Chats): title of a chat session. Reached: error in the wrapper.
inline constexpr std::size_t kMaxTitleBytes = 256;
// Limit (Chats): rules of a chat session. Reached: error in the wrapper.
inline constexpr std::size_t kMaxRulesBytes = 16U << 10U;
// Limit (Chats): allowed tools of a token. Reached: ERROR; the call itself is allowed.
inline constexpr std::size_t kMaxAllowedTools = 1'000;  // per owner
// Limit (Chats): comfyuiServerId of a chat session. Reached: error in the wrapper.
inline constexpr std::size_t kMaxServerIdBytes = 96;  // of ChatSession::comfyui_server
inline constexpr std::string_view kDefaultTitle = "新会话";

}  // namespace parley::chat
