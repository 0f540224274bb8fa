// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/memory/memory_store.h"

#include <filesystem>
#include <utility>

#include "core/private_files.h"
#include "sql/opening.h"
#include "sql/transaction.h"

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
  CREATE VIRTUAL TABLE IF NOT EXISTS memory_words USING fts5(
    words, tokenize = 'porter unicode61 remove_diacritics 2'
  );
)"};
constexpr sql::Schema kSchema{.steps = kSteps, .versioned = false};

}  // namespace

MemoryStore::MemoryStore(std::string file, const core::Clock& clock)
    : file_(std::move(file)), clock_(clock) {}

sql::FileKind MemoryStore::file_kind() { return kSchema.kind(); }

Result<void> MemoryStore::open() {
  if (open_) return {};
  const std::string folder = std::filesystem::path(file_).parent_path().string();
  if (Result<void> made = core::make_private_folder(folder); !made) return made;
  Result<sql::Database> database = sql::open_file(file_, kSchema);
  if (!database) return fail(database.error());
  database_ = std::move(*database);
  open_ = true;
  return {};
}

Result<std::vector<Memory>> MemoryStore::rows(sql::Statement& statement) {
  std::vector<Memory> out;
  while (true) {
    const Result<bool> row = statement.step();
    if (!row) return fail(row.error());
    if (!*row) return out;
    Memory memory;
    memory.id = statement.integer(0);
    memory.key = statement.text(1);
    memory.content = statement.text(2);
    memory.at = core::from_unix_ms(statement.integer(3));
    out.push_back(std::move(memory));
  }
}

static Result<void> check(std::string_view key, std::string_view content) {
  if (content.empty()) {
    return fail(Code::invalid_argument, "There is nothing to remember.", "content");
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

Result<Memory> MemoryStore::remember(std::string_view owner, std::string_view key,
                                     std::string_view content) {
  if (Result<void> fits = check(key, content); !fits) return fail(fits.error());
  const std::scoped_lock lock(mutex_);
  if (Result<void> opened = open(); !opened) return fail(opened.error());
  Result<sql::Transaction> transaction = sql::Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  Result<Memory> memory = replace(owner, key, content);
  if (!memory) return memory;
  if (Result<void> done = transaction->commit(); !done) return fail(done.error());
  return memory;
}

Result<Memory> MemoryStore::replace(std::string_view owner, std::string_view key,
                                    std::string_view content) {
  if (!key.empty()) {
    Result<sql::Statement> old =
        database_.prepare("SELECT id FROM memory WHERE owner = ?1 AND key = ?2");
    if (!old) return fail(old.error());
    old->bind(1, owner).bind(2, key);
    const Result<bool> row = old->step();
    if (!row) return fail(row.error());
    const std::int64_t id = *row ? old->integer(0) : 0;
    old->reset();
    if (*row) {
      if (Result<bool> gone = forget_row(id); !gone) return fail(gone.error());
    }
  }
  Result<sql::Statement> count = database_.prepare("SELECT COUNT(*) FROM memory WHERE owner = ?1");
  if (!count) return fail(count.error());
  count->bind(1, owner);
  const Result<bool> counted = count->step();
  if (!counted) return fail(counted.error());
  if (count->number(0) >= kMaxMemories) {
    return fail(Code::resource_exhausted,
                "There are " + std::to_string(kMaxMemories) +
                    " memories already: forget some that are not needed.");
  }
  count->reset();

  Memory memory{0, std::string(key), std::string(content), clock_.wall()};
  Result<sql::Statement> insert = database_.prepare(
      "INSERT INTO memory (owner, key, content, at) VALUES (?1, ?2, ?3, ?4) RETURNING id");
  if (!insert) return fail(insert.error());
  insert->bind(1, owner).bind(2, key).bind(3, content).bind(4, core::to_unix_ms(memory.at));
  const Result<bool> inserted = insert->step();
  if (!inserted) return fail(inserted.error());
  memory.id = insert->integer(0);
  insert->reset();
  Result<sql::Statement> index =
      database_.prepare("INSERT INTO memory_words (rowid, words) VALUES (?1, ?2)");
  if (!index) return fail(index.error());
  const std::string words = searchable(memory.key + " " + memory.content);
  index->bind(1, memory.id).bind(2, std::string_view(words));
  if (Result<void> indexed = index->run(); !indexed) return fail(indexed.error());
  return memory;
}

Result<std::vector<Memory>> MemoryStore::search(std::string_view owner, std::string_view query,
                                                std::size_t limit) {
  const std::string expression = search_expression(query);
  if (expression.empty()) return std::vector<Memory>();
  const std::scoped_lock lock(mutex_);
  if (Result<void> opened = open(); !opened) return fail(opened.error());
  Result<sql::Statement> statement = database_.prepare(
      "SELECT memory.id, key, content, at FROM memory_words JOIN memory ON memory.id = "
      "memory_words.rowid WHERE memory_words MATCH ?1 AND owner = ?2 ORDER BY bm25(memory_words), "
      "at DESC, memory.id DESC LIMIT ?3");
  if (!statement) return fail(statement.error());
  statement->bind(1, std::string_view(expression)).bind(2, owner).bind(3, limit);
  return rows(*statement);
}

Result<std::optional<Memory>> MemoryStore::find(std::string_view owner, std::string_view key) {
  const std::scoped_lock lock(mutex_);
  if (Result<void> opened = open(); !opened) return fail(opened.error());
  Result<sql::Statement> statement = database_.prepare(
      "SELECT id, key, content, at FROM memory WHERE owner = ?1 AND key = ?2 AND key <> ''");
  if (!statement) return fail(statement.error());
  statement->bind(1, owner).bind(2, key);
  Result<std::vector<Memory>> found = rows(*statement);
  if (!found) return fail(found.error());
  if (found->empty()) return std::optional<Memory>();
  return std::optional<Memory>(std::move(found->front()));
}

Result<MemoryStore::Page> MemoryStore::list(std::string_view owner, std::size_t limit,
                                            std::size_t offset) {
  const std::scoped_lock lock(mutex_);
  if (Result<void> opened = open(); !opened) return fail(opened.error());
  Result<sql::Statement> count = database_.prepare("SELECT COUNT(*) FROM memory WHERE owner = ?1");
  if (!count) return fail(count.error());
  count->bind(1, owner);
  const Result<bool> counted = count->step();
  if (!counted) return fail(counted.error());
  Page page;
  page.total = count->number(0);
  count->reset();
  Result<sql::Statement> statement = database_.prepare(
      "SELECT id, key, content, at FROM memory WHERE owner = ?1 ORDER BY at DESC, id DESC LIMIT ?2 "
      "OFFSET ?3");
  if (!statement) return fail(statement.error());
  statement->bind(1, owner).bind(2, limit).bind(3, offset);
  Result<std::vector<Memory>> found = rows(*statement);
  if (!found) return fail(found.error());
  page.memories = std::move(*found);
  return page;
}

// The caller has opened the file and started a transaction.
Result<bool> MemoryStore::forget_row(std::int64_t id) {
  for (const std::string_view sql :
       {"DELETE FROM memory_words WHERE rowid = ?1", "DELETE FROM memory WHERE id = ?1"}) {
    Result<sql::Statement> statement = database_.prepare(sql);
    if (!statement) return fail(statement.error());
    statement->bind(1, id);
    if (Result<void> done = statement->run(); !done) return fail(done.error());
  }
  return true;
}

Result<bool> MemoryStore::forget(std::string_view owner, std::int64_t id) {
  const std::scoped_lock lock(mutex_);
  if (Result<void> opened = open(); !opened) return fail(opened.error());
  Result<sql::Transaction> transaction = sql::Transaction::begin(database_);
  if (!transaction) return fail(transaction.error());
  Result<sql::Statement> own =
      database_.prepare("SELECT id FROM memory WHERE owner = ?1 AND id = ?2");
  if (!own) return fail(own.error());
  own->bind(1, owner).bind(2, id);
  Result<bool> row = own->step();
  if (!row || !*row) return row;
  own->reset();
  if (Result<bool> gone = forget_row(id); !gone) return gone;
  if (Result<void> done = transaction->commit(); !done) return fail(done.error());
  return true;
}

Result<bool> MemoryStore::forget(std::string_view owner, std::string_view key) {
  const Result<std::optional<Memory>> memory = find(owner, key);
  if (!memory) return fail(memory.error());
  if (!*memory) return false;
  return forget(owner, (*memory)->id);
}

}  // namespace parley::tool
