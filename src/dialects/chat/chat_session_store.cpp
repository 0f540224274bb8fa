// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/chat_session_store.h"

#include <mutex>
#include <utility>

#include "base/core/ask.h"
#include "base/core/id.h"
#include "base/core/result.h"
#include "base/core/string_map.h"
#include "base/core/utf8.h"
#include "base/core/worker.h"
#include "base/sql/database.h"
#include "base/sql/opening.h"

namespace parley::chat {
namespace {

using core::Code;
using core::Result;
using sql::Statement;

constexpr std::string_view kPlace = "chat sessions";
constexpr std::size_t kCodeBytes = 16;

constexpr const char* kSteps[] = {
    R"(
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, title TEXT NOT NULL,
  rules TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
CREATE INDEX sessions_of_owner ON sessions (owner, id))",
    "ALTER TABLE sessions ADD COLUMN comfyui_server TEXT NOT NULL DEFAULT ''",
    R"(CREATE TABLE allowed_tools (
  owner TEXT NOT NULL, session TEXT NOT NULL, tool TEXT NOT NULL,
  PRIMARY KEY (owner, session, tool)) WITHOUT ROWID)",
    // Older versions allowed tools by name only. Those permissions now apply to built-in tools;
    // calls of other tools need an approval again.
    R"(CREATE TABLE allowed_origins (
  owner TEXT NOT NULL, session TEXT NOT NULL, tool TEXT NOT NULL, source TEXT NOT NULL,
  PRIMARY KEY (owner, session, tool, source)) WITHOUT ROWID;
INSERT INTO allowed_origins SELECT owner, session, tool, 'builtin' FROM allowed_tools;
DROP TABLE allowed_tools;
ALTER TABLE allowed_origins RENAME TO allowed_tools)"};
constexpr sql::Schema kSchema{.steps = kSteps};
constexpr std::string_view kColumns =
    "id, code, owner, title, rules, created_at, updated_at, comfyui_server";

Result<void> check(std::string_view text, std::size_t limit, std::string_view field) {
  if (text.size() > limit || !core::is_utf8(text)) {
    return core::fail(Code::invalid_argument,
                      "\"" + std::string(field) + "\" must be UTF-8 of at most " +
                          std::to_string(limit) + " bytes.",
                      std::string(field));
  }
  return {};
}

// Applies the members of the draft.
Result<void> apply(ChatSessionDraft draft, ChatSession& session) {
  session.title = std::move(draft.title).value_or(session.title);
  session.rules = std::move(draft.rules).value_or(session.rules);
  session.comfyui_server = std::move(draft.comfyui_server).value_or(session.comfyui_server);
  Result<void> fine = check(session.title, kMaxTitleBytes, "title");
  if (fine) fine = check(session.rules, kMaxRulesBytes, "rules");
  if (fine) fine = check(session.comfyui_server, kMaxServerIdBytes, "comfyuiServerId");
  return fine;
}

ChatSession session_of(const Statement& row) {
  ChatSession out;
  out.id = row.integer(0);
  out.code = row.text(1);
  out.owner = row.text(2);
  out.title = row.text(3);
  out.rules = row.text(4);
  out.created_at_ms = row.integer(5);
  out.updated_at_ms = row.integer(6);
  out.comfyui_server = row.text(7);
  return out;
}

std::string select(std::string_view rest) {
  return "SELECT " + std::string(kColumns) + " FROM sessions " + std::string(rest);
}

class SqlChatSessionStore final : public ChatSessionStore {
 public:
  SqlChatSessionStore(sql::Database database, const core::Clock& clock, core::Entropy& entropy)
      : database_(std::move(database)), clock_(clock), entropy_(entropy), worker_(clock) {}

  ~SqlChatSessionStore() override { stop(); }

  Result<void> load() {
    return database_.each("SELECT code, owner FROM sessions", [this](const Statement& row) {
      owners_.emplace(row.text(0), row.text(1));
    });
  }

  void stop() override { worker_.stop(); }

  bool owns(std::string_view owner, std::string_view code) const override {
    const std::scoped_lock lock(mutex_);
    const auto found = owners_.find(code);
    return found != owners_.end() && found->second == owner;
  }

  void create(std::string owner, ChatSessionDraft draft, core::Scheduler& scheduler,
              Done<ChatSession> done) override {
    core::ask(worker_, kPlace, scheduler, std::move(done),
              [this, owner = std::move(owner),
               draft = std::move(draft)]() mutable -> Result<ChatSession> {
                ChatSession session;
                session.owner = owner;
                PARLEY_TRY_VOID(apply(std::move(draft), session));
                if (session.title.empty()) session.title = kDefaultTitle;
                session.code = "session_" + core::random_hex(entropy_, kCodeBytes);
                session.created_at_ms = core::to_unix_ms(clock_.wall());
                return insert(std::move(session));
              });
  }

  void list(std::string owner, core::Scheduler& scheduler,
            Done<std::vector<ChatSession>> done) override {
    core::ask(worker_, kPlace, scheduler, std::move(done), [this, owner = std::move(owner)] {
      return database_.rows(select("WHERE owner = ?1 ORDER BY id DESC"), session_of, owner);
    });
  }

  void find(std::string owner, std::string code, core::Scheduler& scheduler,
            Done<ChatSession> done) override {
    core::ask(worker_, kPlace, scheduler, std::move(done),
              [this, owner = std::move(owner), code = std::move(code)]() -> Result<ChatSession> {
                Result<ChatSession> session = read(owner, code);
                if (!session) return session;
                PARLEY_TRY(std::vector<AllowedTool> allowed, allowed_of(owner));
                for (AllowedTool& tool : allowed) {
                  if (tool.session.empty() || tool.session == code) {
                    session->allowed_tools.insert(std::move(tool.tool));
                  }
                }
                return session;
              });
  }

  void allow(std::string owner, AllowedTool tool, core::Scheduler& scheduler,
             Done<void> done) override {
    core::ask(worker_, kPlace, scheduler, std::move(done),
              [this, owner = std::move(owner), tool = std::move(tool)] {
                return add_allowed(owner, tool);
              });
  }

  void disallow(std::string owner, AllowedTool tool, core::Scheduler& scheduler,
                Done<void> done) override {
    core::ask(worker_, kPlace, scheduler, std::move(done),
              [this, owner = std::move(owner), tool = std::move(tool)] {
                return database_.run(
                    "DELETE FROM allowed_tools WHERE owner = ?1 AND session = ?2 AND tool = ?3 AND "
                    "(source = ?4 OR ?4 = '')",
                    owner, tool.session, tool.tool.name, tool.tool.source);
              });
  }

  void list_allowed(std::string owner, core::Scheduler& scheduler,
                    Done<std::vector<AllowedTool>> done) override {
    core::ask(worker_, kPlace, scheduler, std::move(done),
              [this, owner = std::move(owner)] { return allowed_of(owner); });
  }

  void update(std::string owner, std::string code, ChatSessionDraft draft,
              core::Scheduler& scheduler, Done<ChatSession> done) override {
    core::ask(
        worker_, kPlace, scheduler, std::move(done),
        [this, owner = std::move(owner), code = std::move(code),
         draft = std::move(draft)]() mutable -> Result<ChatSession> {
          Result<ChatSession> session = read(owner, code);
          if (!session) return session;
          PARLEY_TRY_VOID(apply(std::move(draft), *session));
          session->updated_at_ms = core::to_unix_ms(clock_.wall());
          PARLEY_TRY_VOID(database_.run(
              "UPDATE sessions SET title = ?1, rules = ?2, updated_at = ?3, comfyui_server = ?4 "
              "WHERE id = ?5",
              session->title, session->rules, session->updated_at_ms, session->comfyui_server,
              session->id));
          return session;
        });
  }

  void remove(std::string owner, std::string code, core::Scheduler& scheduler,
              Done<void> done) override {
    core::ask(worker_, kPlace, scheduler, std::move(done),
              [this, owner = std::move(owner), code = std::move(code)]() -> Result<void> {
                const Result<ChatSession> session = read(owner, code);
                if (!session) return core::fail(session.error());
                Result<void> deleted =
                    database_.run("DELETE FROM sessions WHERE id = ?1", session->id);
                if (deleted) {
                  deleted = database_.run(
                      "DELETE FROM allowed_tools WHERE owner = ?1 AND session = ?2", owner, code);
                }
                if (!deleted) return deleted;
                const std::scoped_lock lock(mutex_);
                owners_.erase(code);
                return {};
              });
  }

 private:
  Result<ChatSession> insert(ChatSession session) {
    PARLEY_TRY(const std::uint64_t count,
               database_.count("SELECT count(*) FROM sessions WHERE owner = ?1", session.owner));
    if (count >= kMaxChatSessions) {
      return core::fail(Code::resource_exhausted,
                        "The limit of " + std::to_string(kMaxChatSessions) +
                            " chat sessions is reached. Delete some first.");
    }
    PARLEY_TRY_VOID(database_.run(
        "INSERT INTO sessions (code, owner, title, rules, created_at, updated_at, comfyui_server) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)",
        session.code, session.owner, session.title, session.rules, session.created_at_ms,
        session.comfyui_server));
    {
      const std::scoped_lock lock(mutex_);
      owners_.emplace(session.code, session.owner);
    }
    return read(session.owner, session.code);
  }

  Result<ChatSession> read(const std::string& owner, const std::string& code) {
    PARLEY_TRY(std::optional<ChatSession> found,
               database_.first(select("WHERE owner = ?1 AND code = ?2"), session_of, owner, code));
    if (!found) return core::fail(Code::not_found, "There is no such chat session.", "sessionCode");
    return std::move(*found);
  }

  Result<std::vector<AllowedTool>> allowed_of(const std::string& owner) {
    return database_.rows(
        "SELECT tool, source, session FROM allowed_tools WHERE owner = ?1",
        [](const Statement& row) {
          return AllowedTool{{row.string(0), row.string(1)}, row.string(2)};
        },
        owner);
  }

  Result<void> add_allowed(const std::string& owner, const AllowedTool& tool) {
    PARLEY_TRY(const std::vector<AllowedTool> all, allowed_of(owner));
    if (all.size() >= kMaxAllowedTools) {
      return core::fail(Code::resource_exhausted,
                        "The limit of " + std::to_string(kMaxAllowedTools) +
                            " allowed tools is reached. Remove some first.");
    }
    return database_.run(
        "INSERT INTO allowed_tools (owner, session, tool, source) VALUES (?1, ?2, ?3, ?4)"
        " ON CONFLICT DO NOTHING",
        owner, tool.session, tool.tool.name, tool.tool.source);
  }

  sql::Database database_;  // used by the worker's thread only, once that runs
  const core::Clock& clock_;
  core::Entropy& entropy_;
  mutable std::mutex mutex_;
  core::StringMap<std::string> owners_;  // by code
  core::Worker worker_;                  // last: it uses all the others
};

}  // namespace

const sql::Schema& ChatSessionStore::schema() { return kSchema; }

Result<std::unique_ptr<ChatSessionStore>> ChatSessionStore::open(const sql::StorePlace& place,
                                                                 const core::Clock& clock,
                                                                 core::Entropy& entropy) {
  PARLEY_TRY(auto database, sql::open_store(place, "chat", kSchema));
  std::unique_ptr<SqlChatSessionStore> store(
      new SqlChatSessionStore(std::move(database), clock, entropy));
  PARLEY_TRY_VOID(store->load());
  return store;
}

}  // namespace parley::chat
