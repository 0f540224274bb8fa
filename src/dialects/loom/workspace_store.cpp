// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/loom/workspace_store.h"

#include <algorithm>
#include <utility>

#include "base/core/ask.h"
#include "base/core/id.h"
#include "base/core/result.h"
#include "base/core/utf8.h"
#include "base/core/worker.h"
#include "base/sql/database.h"
#include "base/sql/opening.h"
#include "base/sql/transaction.h"

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
  return core::fail(
      Code::invalid_argument,
      "The name of a workspace may have at most " + std::to_string(kMaxNameBytes) + " bytes.",
      "name");
}

class SqlWorkspaceStore final : public WorkspaceStore {
 public:
  void stop() override { worker_.stop(); }

  SqlWorkspaceStore(sql::Database database, const core::Clock& clock, core::Entropy& entropy)
      : database_(std::move(database)), clock_(clock), entropy_(entropy), worker_(clock) {}

  void list(std::string owner, core::Scheduler& scheduler,
            Done<std::vector<Workspace>> done) override {
    run<std::vector<Workspace>>(scheduler, std::move(done), [this, owner = std::move(owner)] {
      return database_.rows(
          "SELECT id, name, created_at FROM workspaces WHERE owner = ?1 ORDER BY number",
          [](const Statement& row) {
            return Workspace{row.string(0),
                             row.is_null(1) ? std::nullopt : std::optional(row.string(1)),
                             row.integer(2)};
          },
          owner);
    });
  }

  void create(std::string owner, std::optional<std::string> name, core::Scheduler& scheduler,
              Done<Workspace> done) override {
    run<Workspace>(
        scheduler, std::move(done),
        [this, owner = std::move(owner), name = std::move(name)]() mutable -> Result<Workspace> {
          PARLEY_TRY_VOID(check_name(name));
          PARLEY_TRY(const auto there,
                     database_.count("SELECT count(*) FROM workspaces WHERE owner = ?1", owner));
          if (there >= kMaxWorkspaces) {
            return core::fail(Code::resource_exhausted,
                              "The limit of workspaces is reached. Delete one first.");
          }
          Workspace created;
          created.id = core::new_id(clock_, entropy_);
          created.name = std::move(name);
          created.created_at_ms = core::to_unix_ms(clock_.wall());
          PARLEY_TRY_VOID(database_.run(
              "INSERT INTO workspaces (id, owner, name, created_at) VALUES (?1, ?2, ?3, ?4)",
              created.id, owner, created.name, created.created_at_ms));
          return created;
        });
  }

  void rename(std::string owner, std::string id, std::string name, core::Scheduler& scheduler,
              Done<Workspace> done) override {
    run<Workspace>(scheduler, std::move(done),
                   [this, owner = std::move(owner), id = std::move(id),
                    name = std::optional<std::string>(std::move(name))]() -> Result<Workspace> {
                     PARLEY_TRY_VOID(check_name(name));
                     const Result<std::optional<std::int64_t>> created = database_.first(
                         "UPDATE workspaces SET name = ?3 WHERE id = ?1 AND owner = ?2"
                         " RETURNING created_at",
                         [](const Statement& row) { return row.integer(0); }, id, owner, name);
                     if (!created) return core::fail(created.error());
                     if (!*created) return core::fail(no_workspace(id));
                     return Workspace{id, name, **created};
                   });
  }

  void threads(std::string owner, std::string id, core::Scheduler& scheduler,
               Done<std::vector<WorkspaceThread>> done) override {
    run<std::vector<WorkspaceThread>>(
        scheduler, std::move(done),
        [this, owner = std::move(owner),
         id = std::move(id)]() -> Result<std::vector<WorkspaceThread>> {
          PARLEY_TRY_VOID(find(owner, id));
          return database_.rows(
              "SELECT thread, created_at FROM workspace_threads WHERE workspace = ?1"
              " ORDER BY number DESC",
              [](const Statement& row) {
                return WorkspaceThread{row.string(0), row.integer(1)};
              },
              id);
        });
  }

  void add_thread(std::string owner, std::string id, std::string thread, core::Scheduler& scheduler,
                  Done<void> done) override {
    run<void>(
        scheduler, std::move(done),
        [this, owner = std::move(owner), id = std::move(id),
         thread = std::move(thread)]() -> Result<void> {
          PARLEY_TRY_VOID(find(owner, id));
          PARLEY_TRY(
              const auto there,
              database_.count("SELECT count(*) FROM workspace_threads WHERE workspace = ?1", id));
          if (there >= kMaxThreads) {
            return core::fail(Code::resource_exhausted,
                              "The workspace has reached its limit of threads. Remove one first.");
          }
          return database_.run(
              "INSERT INTO workspace_threads (workspace, thread, created_at)"
              " VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
              id, thread, clock_.wall());
        });
  }

  void remove_thread(std::string owner, std::string id, std::string thread,
                     core::Scheduler& scheduler, Done<void> done) override {
    run<void>(scheduler, std::move(done),
              [this, owner = std::move(owner), id = std::move(id),
               thread = std::move(thread)]() -> Result<void> {
                PARLEY_TRY_VOID(find(owner, id));
                return database_.run(
                    "DELETE FROM workspace_threads WHERE workspace = ?1 AND thread = ?2", id,
                    thread);
              });
  }

  void forget_thread(std::string owner, std::string thread, core::Scheduler& scheduler,
                     Done<void> done) override {
    run<void>(scheduler, std::move(done),
              [this, owner = std::move(owner), thread = std::move(thread)]() -> Result<void> {
                PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
                Result<void> forgotten = forget(owner, thread);
                return forgotten ? transaction.commit() : forgotten;
              });
  }

  void log_position(std::string owner, std::string thread, core::Scheduler& scheduler,
                    Done<std::uint64_t> done) override {
    run<std::uint64_t>(scheduler, std::move(done),
                       [this, owner = std::move(owner), thread = std::move(thread)] {
                         return position(owner, thread);
                       });
  }

  void lengthen_log(std::string owner, std::string thread, std::uint64_t from, std::uint64_t to,
                    std::vector<LoggedMessage> messages, core::Scheduler& scheduler,
                    Done<void> done) override {
    run<void>(scheduler, std::move(done),
              [this, owner = std::move(owner), thread = std::move(thread), from, to,
               messages = std::move(messages)]() -> Result<void> {
                PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
                Result<void> longer = lengthen(owner, thread, from, to, messages);
                return longer ? transaction.commit() : longer;
              });
  }

  void messages(std::string owner, std::string thread, MessagePlace place, std::size_t limit,
                core::Scheduler& scheduler, Done<MessagePage> done) override {
    run<MessagePage>(scheduler, std::move(done),
                     [this, owner = std::move(owner), thread = std::move(thread), place, limit] {
                       return page(owner, thread, place, limit);
                     });
  }

 private:
  // Runs `work` (Result<T>()) on the worker, and calls `done` with its result.
  template <typename T, typename Work>
  void run(core::Scheduler& scheduler, Done<T> done, Work work) {
    core::ask(worker_, "workspaces", scheduler, std::move(done), std::move(work));
  }

  Result<void> find(const std::string& owner, const std::string& id) {
    PARLEY_TRY(
        const std::uint64_t found,
        database_.count("SELECT count(*) FROM workspaces WHERE id = ?1 AND owner = ?2", id, owner));
    if (found == 0) return core::fail(no_workspace(id));
    return {};
  }

  Result<void> forget(const std::string& owner, const std::string& thread) {
    for (const char* sql : {"DELETE FROM workspace_threads WHERE thread = ?2 AND workspace IN"
                            " (SELECT id FROM workspaces WHERE owner = ?1)",
                            "DELETE FROM messages WHERE owner = ?1 AND thread = ?2",
                            "DELETE FROM logs WHERE owner = ?1 AND thread = ?2"}) {
      PARLEY_TRY_VOID(database_.run(sql, owner, thread));
    }
    return {};
  }

  Result<std::uint64_t> position(const std::string& owner, const std::string& thread) {
    return database_.count("SELECT seq FROM logs WHERE owner = ?1 AND thread = ?2", owner, thread);
  }

  Result<void> lengthen(const std::string& owner, const std::string& thread, std::uint64_t from,
                        std::uint64_t to, const std::vector<LoggedMessage>& messages) {
    PARLEY_TRY(const std::uint64_t stands, position(owner, thread));
    if (stands != from) return {};
    PARLEY_TRY(Statement insert,
               database_.prepare(
                   "INSERT INTO messages (owner, thread, role, content) VALUES (?1, ?2, ?3, ?4)"));
    for (const LoggedMessage& message : messages) {
      const std::string_view content = core::utf8_truncate(message.content, kMaxMessageBytes);
      Result<void> inserted = insert.bind_all(owner, thread, message.role, content).run();
      if (!inserted) return inserted;
    }
    return database_.run(
        "INSERT INTO logs (owner, thread, seq) VALUES (?1, ?2, ?3)"
        " ON CONFLICT (owner, thread) DO UPDATE SET seq = excluded.seq",
        owner, thread, to);
  }

  Result<MessagePage> page(const std::string& owner, const std::string& thread,
                           const MessagePlace& place, std::size_t limit) {
    const bool backwards = place.before.has_value();
    std::string sql = "SELECT id, role, content FROM messages WHERE owner = ?1 AND thread = ?2";
    sql += backwards ? " AND id < ?3 ORDER BY id DESC" : " AND id > ?3 ORDER BY id";
    MessagePage out;
    std::size_t bytes = 0;
    const Result<void> done = database_.each(
        sql + " LIMIT ?4",
        [&](const Statement& row) {
          out.more = out.messages.size() == limit || bytes >= kMaxMessagePageBytes;
          if (out.more) return false;
          out.messages.push_back({row.integer(0), row.string(1), row.string(2)});
          bytes += out.messages.back().content.size();
          return true;
        },
        owner, thread, place.before.value_or(place.after), limit + 1);
    if (!done) return core::fail(done.error());
    if (backwards) std::reverse(out.messages.begin(), out.messages.end());
    return out;
  }

  sql::Database database_;
  const core::Clock& clock_;
  core::Entropy& entropy_;
  core::Worker worker_;  // last member: its thread uses all the others
};

}  // namespace

std::string workspace_store_path(const std::string& data_dir) { return data_dir + "/loom.db"; }

const sql::Schema& WorkspaceStore::schema() { return kSchema; }

Result<std::unique_ptr<WorkspaceStore>> WorkspaceStore::open(const sql::StorePlace& place,
                                                             const core::Clock& clock,
                                                             core::Entropy& entropy) {
  PARLEY_TRY(auto database, sql::open_store(place, "loom", kSchema));
  return std::unique_ptr<WorkspaceStore>(
      new SqlWorkspaceStore(std::move(database), clock, entropy));
}

}  // namespace parley::loom
