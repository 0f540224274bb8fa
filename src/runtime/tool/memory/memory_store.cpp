// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/memory/memory_store.h"

#include <filesystem>
#include <mutex>
#include <utility>

#include "base/core/private_files.h"
#include "base/core/result.h"
#include "base/sql/opening.h"
#include "base/sql/text_index.h"
#include "base/sql/transaction.h"

namespace parley::tool {
namespace {

using core::Code;
using core::fail;
using core::Result;

constexpr const char* kSteps[] = {R"(
  CREATE TABLE IF NOT EXISTS memory (
    id INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    content TEXT NOT NULL,
    at INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX IF NOT EXISTS memory_key ON memory (owner, key) WHERE key <> '';
  CREATE INDEX IF NOT EXISTS memory_owner ON memory (owner, at);
)"};
constexpr sql::Schema kSchema{.steps = kSteps, .versioned = false};
constexpr const char* kColumns = "id, key, content, at";

const sql::TextIndex& words() {
  static const sql::TextIndex index("memory_words");
  return index;
}

Memory memory_of(const sql::Statement& row) {
  return {row.integer(0), row.string(1), row.string(2), row.time(3)};
}

static Result<void> check(std::string_view key, std::string_view content) {
  if (content.empty()) {
    return fail(Code::invalid_argument, "The content of a memory must not be empty.", "content");
  }
  if (content.size() > MemoryStore::kMaxContentBytes) {
    return fail(Code::invalid_argument,
                "A memory may have at most " + std::to_string(MemoryStore::kMaxContentBytes) +
                    " bytes: write the rest into a file.",
                "content");
  }
  if (key.size() > MemoryStore::kMaxKeyBytes) {
    return fail(Code::invalid_argument,
                "A key may have at most " + std::to_string(MemoryStore::kMaxKeyBytes) + " bytes.",
                "key");
  }
  return {};
}

class SqlMemoryStore final : public MemoryStore {
 public:
  SqlMemoryStore(sql::StorePlace place, const core::Clock& clock)
      : place_(std::move(place)), clock_(clock) {}

  Result<Memory> remember(std::string_view owner, std::string_view key,
                          std::string_view content) override {
    PARLEY_TRY_VOID(check(key, content));
    const std::scoped_lock lock(mutex_);
    PARLEY_TRY_VOID(open());
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
    Result<Memory> memory = replace(owner, key, content);
    if (!memory) return memory;
    PARLEY_TRY_VOID(transaction.commit());
    return memory;
  }

  Result<std::vector<Memory>> search(std::string_view owner, std::string_view query,
                                     std::size_t limit) override {
    const std::scoped_lock lock(mutex_);
    PARLEY_TRY_VOID(open());
    const std::string expression = sql::TextIndex::expression(database_.engine(), query);
    if (expression.empty()) return std::vector<Memory>();
    return database_.rows(
        words().query(database_, kColumns, "memory", "owner = ?2") + ", at DESC, id DESC LIMIT ?3",
        memory_of, expression, owner, limit);
  }

  Result<std::optional<Memory>> find(std::string_view owner, std::string_view key) override {
    const std::scoped_lock lock(mutex_);
    PARLEY_TRY_VOID(open());
    return database_.first("SELECT " + std::string(kColumns) +
                               " FROM memory WHERE owner = ?1 AND key = ?2 AND key <> ''",
                           memory_of, owner, key);
  }

  Result<Page> list(std::string_view owner, std::size_t limit, std::size_t offset) override {
    const std::scoped_lock lock(mutex_);
    PARLEY_TRY_VOID(open());
    PARLEY_TRY(const std::uint64_t total,
               database_.count("SELECT count(*) FROM memory WHERE owner = ?1", owner));
    PARLEY_TRY(std::vector<Memory> found,
               database_.rows(
                   "SELECT " + std::string(kColumns) +
                       " FROM memory WHERE owner = ?1 ORDER BY at DESC, id DESC LIMIT ?2 OFFSET ?3",
                   memory_of, owner, limit, offset));
    return Page{std::move(found), total};
  }

  Result<bool> forget(std::string_view owner, std::int64_t id) override {
    const std::scoped_lock lock(mutex_);
    PARLEY_TRY_VOID(open());
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
    PARLEY_TRY(
        const std::uint64_t own,
        database_.count("SELECT count(*) FROM memory WHERE owner = ?1 AND id = ?2", owner, id));
    if (own == 0) return false;
    Result<void> removed = forget_row(id);
    if (removed) removed = transaction.commit();
    if (!removed) return fail(removed.error());
    return true;
  }

  Result<bool> forget(std::string_view owner, std::string_view key) override {
    PARLEY_TRY(const std::optional<Memory> memory, find(owner, key));
    if (!memory) return false;
    return forget(owner, memory->id);
  }

 private:
  Result<void> open() {
    if (open_) return {};
    PARLEY_TRY_VOID(core::make_private_folder(place_.data_dir));
    PARLEY_TRY(sql::Database database, sql::open_store(place_, "memory", kSchema));
    PARLEY_TRY_VOID(words().make(database));
    database_ = std::move(database);
    open_ = true;
    return {};
  }

  Result<Memory> replace(std::string_view owner, std::string_view key, std::string_view content) {
    if (!key.empty()) {
      const auto old = database_.first(
          "SELECT id FROM memory WHERE owner = ?1 AND key = ?2",
          [](const sql::Statement& row) { return row.integer(0); }, owner, key);
      if (!old) return fail(old.error());
      if (*old) {
        PARLEY_TRY_VOID(forget_row(**old));
      }
    }
    PARLEY_TRY(const std::uint64_t count,
               database_.count("SELECT count(*) FROM memory WHERE owner = ?1", owner));
    if (count >= kMaxMemories) {
      return fail(Code::resource_exhausted,
                  "The limit of " + std::to_string(kMaxMemories) +
                      " memories is reached: forget some that are not needed.");
    }
    Memory memory{0, std::string(key), std::string(content), clock_.wall()};
    PARLEY_TRY(
        const std::int64_t id,
        database_.integer(
            "INSERT INTO memory (owner, key, content, at) VALUES (?1, ?2, ?3, ?4) RETURNING id",
            owner, key, content, memory.at));
    memory.id = id;
    PARLEY_TRY_VOID(words().put(database_, memory.id, memory.key + " " + memory.content));
    return memory;
  }

  // The caller has opened the file and started a transaction.
  Result<void> forget_row(std::int64_t id) {
    PARLEY_TRY_VOID(words().remove(database_, id));
    return database_.run("DELETE FROM memory WHERE id = ?1", id);
  }

  const sql::StorePlace place_;
  const core::Clock& clock_;
  std::mutex mutex_;  // guards the members below
  bool open_ = false;
  sql::Database database_;
};

}  // namespace

const sql::Schema& MemoryStore::schema() { return kSchema; }

core::Result<void> MemoryStore::index_all(sql::Database& database) {
  PARLEY_TRY_VOID(words().make(database));
  PARLEY_TRY(const std::vector<std::int64_t> ids,
             database.rows("SELECT id FROM memory",
                           [](const sql::Statement& row) { return row.integer(0); }));
  for (const std::int64_t id : ids) {
    PARLEY_TRY(const auto text, database.first(
                                    "SELECT key || ' ' || content FROM memory WHERE id = ?1",
                                    [](const sql::Statement& row) { return row.string(0); }, id));
    PARLEY_TRY_VOID(words().remove(database, id));
    if (text) PARLEY_TRY_VOID(words().put(database, id, *text));
  }
  return {};
}

std::unique_ptr<MemoryStore> MemoryStore::at(sql::StorePlace place, const core::Clock& clock) {
  return std::make_unique<SqlMemoryStore>(std::move(place), clock);
}

}  // namespace parley::tool
