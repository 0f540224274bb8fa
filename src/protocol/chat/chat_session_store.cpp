// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/chat/chat_session_store.h"

#include <utility>

#include "core/contain.h"
#include "core/id.h"
#include "core/utf8.h"
#include "event/private_files.h"

namespace parley::chat {
namespace {

using core::Code;
using core::Result;
using event::Statement;

constexpr std::int64_t kFormat = 1;
constexpr std::size_t kCodeBytes = 16;

constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS sessions (
  id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, title TEXT NOT NULL,
  rules TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS sessions_of_owner ON sessions (owner, id);
PRAGMA user_version = 1;
)";
constexpr std::string_view kColumns = "id, code, owner, title, rules, created_at, updated_at";

Result<void> check(std::string_view text, std::size_t limit, std::string_view field) {
  if (text.size() > limit || !core::is_utf8(text)) {
    return core::fail(
        Code::invalid_argument,
        "\"" + std::string(field) + "\" is UTF-8 of at most " + std::to_string(limit) + " bytes.",
        std::string(field));
  }
  return {};
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
  return out;
}

std::string select(std::string_view rest) {
  return "SELECT " + std::string(kColumns) + " FROM sessions " + std::string(rest);
}

}  // namespace

event::FileKind ChatSessionStore::file_kind() { return {0, kFormat}; }

Result<std::unique_ptr<ChatSessionStore>> ChatSessionStore::open(const std::string& path,
                                                                 const core::Clock& clock,
                                                                 core::Entropy& entropy) {
  if (Result<void> made = event::make_private_file(path); !made) {
    return core::fail(std::move(made.error()));
  }
  auto database = event::Database::open(path, event::OpenMode::create);
  if (!database) return core::fail(std::move(database.error()));
  database->set_busy_timeout();
  const Result<std::int64_t> format = event::file_version(*database, file_kind());
  if (!format) return core::fail(format.error());
  for (const char* sql : {"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;", kSchema}) {
    if (Result<void> done = database->execute(sql); !done) {
      return core::fail(std::move(done.error()));
    }
  }
  std::unique_ptr<ChatSessionStore> store(
      new ChatSessionStore(std::move(*database), clock, entropy));
  if (Result<void> loaded = store->load(); !loaded) return core::fail(std::move(loaded.error()));
  return store;
}

ChatSessionStore::ChatSessionStore(event::Database database, const core::Clock& clock,
                                   core::Entropy& entropy)
    : database_(std::move(database)), clock_(clock), entropy_(entropy), worker_(clock) {}

ChatSessionStore::~ChatSessionStore() { stop(); }

void ChatSessionStore::stop() { worker_.stop(); }

Result<void> ChatSessionStore::load() {
  Result<Statement> query = database_.prepare("SELECT code, owner FROM sessions");
  if (!query) return core::fail(query.error());
  while (true) {
    const Result<bool> row = query->step();
    if (!row) return core::fail(row.error());
    if (!*row) return {};
    owners_.emplace(query->text(0), query->text(1));
  }
}

bool ChatSessionStore::owns(std::string_view owner, std::string_view code) const {
  const std::scoped_lock lock(mutex_);
  const auto found = owners_.find(code);
  return found != owners_.end() && found->second == owner;
}

template <typename T, typename Work>
void ChatSessionStore::run(core::Scheduler& scheduler, Done<T> done, Work work) {
  worker_.post([&scheduler, done = std::move(done), work = std::move(work)]() mutable {
    Result<T> result = core::contain("chat sessions", work);
    scheduler.post([done = std::move(done), result = std::move(result)]() mutable {
      done(std::move(result));
    });
  });
}

Result<ChatSession> ChatSessionStore::insert(ChatSession session) {
  Result<Statement> count = database_.prepare("SELECT count(*) FROM sessions WHERE owner = ?1");
  if (!count) return core::fail(count.error());
  const Result<bool> counted = count->bind(1, session.owner).step();
  if (!counted) return core::fail(counted.error());
  if (count->number(0) >= kMaxChatSessions) {
    return core::fail(Code::resource_exhausted,
                      "There are " + std::to_string(kMaxChatSessions) +
                          " chat sessions, which is the most. Delete some first.");
  }
  count->reset();
  Result<Statement> insert = database_.prepare(
      "INSERT INTO sessions (code, owner, title, rules, created_at, updated_at) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?5)");
  if (!insert) return core::fail(insert.error());
  const Result<void> done = insert->bind(1, session.code)
                                .bind(2, session.owner)
                                .bind(3, session.title)
                                .bind(4, session.rules)
                                .bind(5, session.created_at_ms)
                                .run();
  if (!done) return core::fail(done.error());
  {
    const std::scoped_lock lock(mutex_);
    owners_.emplace(session.code, session.owner);
  }
  return read(session.owner, session.code);
}

Result<ChatSession> ChatSessionStore::read(const std::string& owner, const std::string& code) {
  Result<Statement> query = database_.prepare(select("WHERE owner = ?1 AND code = ?2"));
  if (!query) return core::fail(query.error());
  const Result<bool> row = query->bind(1, owner).bind(2, code).step();
  if (!row) return core::fail(row.error());
  if (!*row) return core::fail(Code::not_found, "There is no such chat session.", "sessionCode");
  return session_of(*query);
}

void ChatSessionStore::create(std::string owner, std::string title, std::string rules,
                              core::Scheduler& scheduler, Done<ChatSession> done) {
  ChatSession session;
  session.owner = std::move(owner);
  session.title = title.empty() ? std::string(kDefaultTitle) : std::move(title);
  session.rules = std::move(rules);
  run<ChatSession>(
      scheduler, std::move(done),
      [this, session = std::move(session)]() mutable -> Result<ChatSession> {
        for (const Result<void>& checked : {check(session.title, kMaxTitleBytes, "title"),
                                            check(session.rules, kMaxRulesBytes, "rules")}) {
          if (!checked) return core::fail(checked.error());
        }
        session.code = "session_" + core::random_hex(entropy_, kCodeBytes);
        session.created_at_ms = core::to_unix_ms(clock_.wall());
        return insert(std::move(session));
      });
}

void ChatSessionStore::list(std::string owner, core::Scheduler& scheduler,
                            Done<std::vector<ChatSession>> done) {
  using List = std::vector<ChatSession>;
  run<List>(scheduler, std::move(done), [this, owner = std::move(owner)]() -> Result<List> {
    Result<Statement> query = database_.prepare(select("WHERE owner = ?1 ORDER BY id DESC"));
    if (!query) return core::fail(query.error());
    query->bind(1, owner);
    List out;
    while (true) {
      const Result<bool> row = query->step();
      if (!row) return core::fail(row.error());
      if (!*row) return out;
      out.push_back(session_of(*query));
    }
  });
}

void ChatSessionStore::find(std::string owner, std::string code, core::Scheduler& scheduler,
                            Done<ChatSession> done) {
  run<ChatSession>(
      scheduler, std::move(done),
      [this, owner = std::move(owner), code = std::move(code)] { return read(owner, code); });
}

void ChatSessionStore::update(std::string owner, std::string code, std::optional<std::string> title,
                              std::optional<std::string> rules, core::Scheduler& scheduler,
                              Done<ChatSession> done) {
  run<ChatSession>(
      scheduler, std::move(done),
      [this, owner = std::move(owner), code = std::move(code), title = std::move(title),
       rules = std::move(rules)]() -> Result<ChatSession> {
        Result<ChatSession> session = read(owner, code);
        if (!session) return session;
        session->title = title.value_or(session->title);
        session->rules = rules.value_or(session->rules);
        for (const Result<void>& checked : {check(session->title, kMaxTitleBytes, "title"),
                                            check(session->rules, kMaxRulesBytes, "rules")}) {
          if (!checked) return core::fail(checked.error());
        }
        session->updated_at_ms = core::to_unix_ms(clock_.wall());
        Result<Statement> update = database_.prepare(
            "UPDATE sessions SET title = ?1, rules = ?2, updated_at = ?3 WHERE id = ?4");
        if (!update) return core::fail(update.error());
        const Result<void> done_update = update->bind(1, session->title)
                                             .bind(2, session->rules)
                                             .bind(3, session->updated_at_ms)
                                             .bind(4, session->id)
                                             .run();
        if (!done_update) return core::fail(done_update.error());
        return session;
      });
}

void ChatSessionStore::remove(std::string owner, std::string code, core::Scheduler& scheduler,
                              Done<void> done) {
  run<void>(scheduler, std::move(done),
            [this, owner = std::move(owner), code = std::move(code)]() -> Result<void> {
              const Result<ChatSession> session = read(owner, code);
              if (!session) return core::fail(session.error());
              Result<Statement> remove = database_.prepare("DELETE FROM sessions WHERE id = ?1");
              if (!remove) return core::fail(remove.error());
              const Result<void> gone = remove->bind(1, session->id).run();
              if (!gone) return core::fail(gone.error());
              const std::scoped_lock lock(mutex_);
              owners_.erase(code);
              return {};
            });
}

}  // namespace parley::chat
