// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/loom/workspace_store.h"

#include <algorithm>
#include <utility>

#include "core/ask_worker.h"
#include "core/id.h"
#include "core/utf8.h"
#include "sql/opening.h"
#include "sql/transaction.h"

namespace parley::loom {
namespace {

using core::Code;
using core::Result;
using sql::Statement;

constexpr const char* kSteps[] = {R"(
CREATE TABLE workspaces (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, name TEXT,
  created_at INTEGER NOT NULL);
CREATE INDEX workspaces_of_owner ON workspaces (owner, number);
CREATE TABLE workspace_threads (
  number INTEGER PRIMARY KEY, workspace TEXT NOT NULL, thread TEXT NOT NULL,
  created_at INTEGER NOT NULL, UNIQUE (workspace, thread));
CREATE TABLE logs (
  owner TEXT NOT NULL, thread TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (owner, thread))
  WITHOUT ROWID;
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, thread TEXT NOT NULL,
  role TEXT NOT NULL, content TEXT NOT NULL);
CREATE INDEX messages_of_thread ON messages (owner, thread, id);
)"};
constexpr sql::Schema kSchema{.steps = kSteps};

core::Error no_workspace(const std::string& id) {
  return {Code::not_found, "workspace not found: " + id, "workspace_id"};
}

core::Result<void> check_name(const std::optional<std::string>& name) {
  if (!name || name->size() <= kMaxNameBytes) return {};
  return core::fail(Code::invalid_argument,
                    "A name has at most " + std::to_string(kMaxNameBytes) + " bytes.", "name");
}

Statement& bind_name(Statement& statement, int index, const std::optional<std::string>& name) {
  return name ? statement.bind(index, std::string_view(*name)) : statement.bind_null(index);
}

}  // namespace

std::string workspace_store_path(const std::string& data_dir) { return data_dir + "/loom.db"; }

sql::FileKind WorkspaceStore::file_kind() { return kSchema.kind(); }

Result<std::unique_ptr<WorkspaceStore>> WorkspaceStore::open(const std::string& path,
                                                             const core::Clock& clock,
                                                             core::Entropy& entropy) {
  auto database = sql::open_file(path, kSchema);
  if (!database) return core::fail(std::move(database.error()));
  return std::unique_ptr<WorkspaceStore>(new WorkspaceStore(std::move(*database), clock, entropy));
}

WorkspaceStore::WorkspaceStore(sql::Database database, const core::Clock& clock,
                               core::Entropy& entropy)
    : database_(std::move(database)), clock_(clock), entropy_(entropy), worker_(clock) {}

template <typename T, typename Work>
void WorkspaceStore::run(core::Scheduler& scheduler, Done<T> done, Work work) {
  core::ask_worker<T>(worker_, "workspaces", scheduler, std::move(done), std::move(work));
}

// --- workspaces ----------------------------------------------------------------------------------

Result<void> WorkspaceStore::find(const std::string& owner, const std::string& id) {
  Result<Statement> query =
      database_.prepare("SELECT 1 FROM workspaces WHERE id = ?1 AND owner = ?2");
  if (!query) return core::fail(query.error());
  const Result<bool> row = query->bind(1, id).bind(2, owner).step();
  if (!row) return core::fail(row.error());
  if (!*row) return core::fail(no_workspace(id));
  return {};
}

Result<std::int64_t> WorkspaceStore::count(std::string_view sql, std::string_view key) {
  Result<Statement> query = database_.prepare(sql);
  if (!query) return core::fail(query.error());
  const Result<bool> row = query->bind(1, key).step();
  if (!row) return core::fail(row.error());
  return *row ? query->integer(0) : 0;
}

void WorkspaceStore::list(std::string owner, core::Scheduler& scheduler,
                          Done<std::vector<Workspace>> done) {
  run<std::vector<Workspace>>(
      scheduler, std::move(done),
      [this, owner = std::move(owner)]() -> Result<std::vector<Workspace>> {
        Result<Statement> query = database_.prepare(
            "SELECT id, name, created_at FROM workspaces WHERE owner = ?1 ORDER BY number");
        if (!query) return core::fail(query.error());
        query->bind(1, owner);
        std::vector<Workspace> out;
        while (true) {
          const Result<bool> row = query->step();
          if (!row) return core::fail(row.error());
          if (!*row) return out;
          Workspace& one = out.emplace_back();
          one.id = query->text(0);
          if (!query->is_null(1)) one.name = std::string(query->text(1));
          one.created_at_ms = query->integer(2);
        }
      });
}

void WorkspaceStore::create(std::string owner, std::optional<std::string> name,
                            core::Scheduler& scheduler, Done<Workspace> done) {
  run<Workspace>(
      scheduler, std::move(done),
      [this, owner = std::move(owner), name = std::move(name)]() mutable -> Result<Workspace> {
        if (Result<void> good = check_name(name); !good) return core::fail(good.error());
        const auto there = count("SELECT COUNT(*) FROM workspaces WHERE owner = ?1", owner);
        if (!there) return core::fail(there.error());
        if (*there >= kMaxWorkspaces) {
          return core::fail(Code::resource_exhausted, "There are too many workspaces.");
        }
        Workspace made;
        made.id = core::new_id(clock_, entropy_);
        made.name = std::move(name);
        made.created_at_ms = core::to_unix_ms(clock_.wall());
        Result<Statement> insert = database_.prepare(
            "INSERT INTO workspaces (id, owner, name, created_at) VALUES (?1, ?2, ?3, ?4)");
        if (!insert) return core::fail(insert.error());
        insert->bind(1, made.id).bind(2, owner).bind(4, made.created_at_ms);
        bind_name(*insert, 3, made.name);
        if (Result<void> done_insert = insert->run(); !done_insert) {
          return core::fail(done_insert.error());
        }
        return made;
      });
}

void WorkspaceStore::rename(std::string owner, std::string id, std::string name,
                            core::Scheduler& scheduler, Done<Workspace> done) {
  run<Workspace>(scheduler, std::move(done),
                 [this, owner = std::move(owner), id = std::move(id),
                  name = std::optional<std::string>(std::move(name))]() -> Result<Workspace> {
                   if (Result<void> good = check_name(name); !good) return core::fail(good.error());
                   Result<Statement> update = database_.prepare(
                       "UPDATE workspaces SET name = ?3 WHERE id = ?1 AND owner = ?2"
                       " RETURNING created_at");
                   if (!update) return core::fail(update.error());
                   bind_name(update->bind(1, id).bind(2, owner), 3, name);
                   const Result<bool> row = update->step();
                   if (!row) return core::fail(row.error());
                   if (!*row) return core::fail(no_workspace(id));
                   Workspace renamed{id, name, update->integer(0)};
                   if (const Result<bool> end = update->step(); !end) {
                     return core::fail(end.error());
                   }
                   return renamed;
                 });
}

// --- threads -------------------------------------------------------------------------------------

void WorkspaceStore::threads(std::string owner, std::string id, core::Scheduler& scheduler,
                             Done<std::vector<WorkspaceThread>> done) {
  run<std::vector<WorkspaceThread>>(
      scheduler, std::move(done),
      [this, owner = std::move(owner),
       id = std::move(id)]() -> Result<std::vector<WorkspaceThread>> {
        if (Result<void> found = find(owner, id); !found) return core::fail(found.error());
        Result<Statement> query = database_.prepare(
            "SELECT thread, created_at FROM workspace_threads WHERE workspace = ?1"
            " ORDER BY number DESC");
        if (!query) return core::fail(query.error());
        query->bind(1, id);
        std::vector<WorkspaceThread> out;
        while (true) {
          const Result<bool> row = query->step();
          if (!row) return core::fail(row.error());
          if (!*row) return out;
          out.push_back({std::string(query->text(0)), query->integer(1)});
        }
      });
}

void WorkspaceStore::add_thread(std::string owner, std::string id, std::string thread,
                                core::Scheduler& scheduler, Done<void> done) {
  run<void>(
      scheduler, std::move(done),
      [this, owner = std::move(owner), id = std::move(id),
       thread = std::move(thread)]() -> Result<void> {
        if (Result<void> found = find(owner, id); !found) return found;
        const auto there = count("SELECT COUNT(*) FROM workspace_threads WHERE workspace = ?1", id);
        if (!there) return core::fail(there.error());
        if (*there >= kMaxThreads) {
          return core::fail(Code::resource_exhausted, "The workspace has too many threads.");
        }
        Result<Statement> insert = database_.prepare(
            "INSERT INTO workspace_threads (workspace, thread, created_at)"
            " VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING");
        if (!insert) return core::fail(insert.error());
        return insert->bind(1, id).bind(2, thread).bind(3, core::to_unix_ms(clock_.wall())).run();
      });
}

void WorkspaceStore::remove_thread(std::string owner, std::string id, std::string thread,
                                   core::Scheduler& scheduler, Done<void> done) {
  run<void>(scheduler, std::move(done),
            [this, owner = std::move(owner), id = std::move(id),
             thread = std::move(thread)]() -> Result<void> {
              if (Result<void> found = find(owner, id); !found) return found;
              Result<Statement> remove = database_.prepare(
                  "DELETE FROM workspace_threads WHERE workspace = ?1 AND thread = ?2");
              if (!remove) return core::fail(remove.error());
              return remove->bind(1, id).bind(2, thread).run();
            });
}

Result<void> WorkspaceStore::forget(const std::string& owner, const std::string& thread) {
  for (const char* sql : {"DELETE FROM workspace_threads WHERE thread = ?2 AND workspace IN"
                          " (SELECT id FROM workspaces WHERE owner = ?1)",
                          "DELETE FROM messages WHERE owner = ?1 AND thread = ?2",
                          "DELETE FROM logs WHERE owner = ?1 AND thread = ?2"}) {
    Result<Statement> statement = database_.prepare(sql);
    if (!statement) return core::fail(statement.error());
    Result<void> done = statement->bind(1, owner).bind(2, thread).run();
    if (!done) return done;
  }
  return {};
}

void WorkspaceStore::forget_thread(std::string owner, std::string thread,
                                   core::Scheduler& scheduler, Done<void> done) {
  run<void>(scheduler, std::move(done),
            [this, owner = std::move(owner), thread = std::move(thread)]() -> Result<void> {
              Result<sql::Transaction> transaction = sql::Transaction::begin(database_);
              if (!transaction) return core::fail(std::move(transaction.error()));
              Result<void> forgotten = forget(owner, thread);
              return forgotten ? transaction->commit() : forgotten;
            });
}

// --- logs ----------------------------------------------------------------------------------------

Result<std::uint64_t> WorkspaceStore::position(const std::string& owner,
                                               const std::string& thread) {
  Result<Statement> query =
      database_.prepare("SELECT seq FROM logs WHERE owner = ?1 AND thread = ?2");
  if (!query) return core::fail(query.error());
  const Result<bool> row = query->bind(1, owner).bind(2, thread).step();
  if (!row) return core::fail(row.error());
  return *row ? query->number(0) : 0U;
}

void WorkspaceStore::log_position(std::string owner, std::string thread, core::Scheduler& scheduler,
                                  Done<std::uint64_t> done) {
  run<std::uint64_t>(scheduler, std::move(done),
                     [this, owner = std::move(owner), thread = std::move(thread)] {
                       return position(owner, thread);
                     });
}

Result<void> WorkspaceStore::lengthen(const std::string& owner, const std::string& thread,
                                      std::uint64_t from, std::uint64_t to,
                                      const std::vector<LoggedMessage>& messages) {
  const Result<std::uint64_t> stands = position(owner, thread);
  if (!stands) return core::fail(stands.error());
  if (*stands != from) return {};
  Result<Statement> insert = database_.prepare(
      "INSERT INTO messages (owner, thread, role, content) VALUES (?1, ?2, ?3, ?4)");
  if (!insert) return core::fail(insert.error());
  for (const LoggedMessage& message : messages) {
    const std::string_view content = core::utf8_truncate(message.content, kMaxMessageBytes);
    insert->bind(1, owner).bind(2, thread).bind(3, message.role).bind(4, content);
    if (Result<void> inserted = insert->run(); !inserted) return inserted;
  }
  Result<Statement> note = database_.prepare(
      "INSERT INTO logs (owner, thread, seq) VALUES (?1, ?2, ?3)"
      " ON CONFLICT (owner, thread) DO UPDATE SET seq = excluded.seq");
  if (!note) return core::fail(note.error());
  return note->bind(1, owner).bind(2, thread).bind(3, to).run();
}

void WorkspaceStore::lengthen_log(std::string owner, std::string thread, std::uint64_t from,
                                  std::uint64_t to, std::vector<LoggedMessage> messages,
                                  core::Scheduler& scheduler, Done<void> done) {
  run<void>(scheduler, std::move(done),
            [this, owner = std::move(owner), thread = std::move(thread), from, to,
             messages = std::move(messages)]() -> Result<void> {
              Result<sql::Transaction> transaction = sql::Transaction::begin(database_);
              if (!transaction) return core::fail(std::move(transaction.error()));
              Result<void> longer = lengthen(owner, thread, from, to, messages);
              return longer ? transaction->commit() : longer;
            });
}

Result<MessagePage> WorkspaceStore::page(const std::string& owner, const std::string& thread,
                                         const MessagePlace& place, std::size_t limit) {
  const bool backwards = place.before.has_value();
  std::string sql = "SELECT id, role, content FROM messages WHERE owner = ?1 AND thread = ?2";
  sql += backwards ? " AND id < ?3 ORDER BY id DESC" : " AND id > ?3 ORDER BY id";
  Result<Statement> query = database_.prepare(sql + " LIMIT ?4");
  if (!query) return core::fail(query.error());
  query->bind(1, owner).bind(2, thread).bind(3, place.before.value_or(place.after));
  query->bind(4, static_cast<std::int64_t>(limit) + 1);
  MessagePage out;
  std::size_t bytes = 0;
  while (true) {
    const Result<bool> row = query->step();
    if (!row) return core::fail(row.error());
    if (!*row) break;
    if (out.messages.size() == limit || bytes >= kMaxMessagePageBytes) {
      out.more = true;
      break;
    }
    out.messages.push_back(
        {query->integer(0), std::string(query->text(1)), std::string(query->text(2))});
    bytes += out.messages.back().content.size();
  }
  if (backwards) std::reverse(out.messages.begin(), out.messages.end());
  return out;
}

void WorkspaceStore::messages(std::string owner, std::string thread, MessagePlace place,
                              std::size_t limit, core::Scheduler& scheduler,
                              Done<MessagePage> done) {
  run<MessagePage>(scheduler, std::move(done),
                   [this, owner = std::move(owner), thread = std::move(thread), place, limit] {
                     return page(owner, thread, place, limit);
                   });
}

}  // namespace parley::loom
