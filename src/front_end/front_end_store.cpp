// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "front_end/front_end_store.h"

#include "core/private_files.h"

namespace parley::front_end {
namespace {

using core::Result;

constexpr std::int64_t kFormat = 1;

// Contents stand last: what does not ask for them does not read them.
constexpr const char* kSchema = R"(
CREATE TABLE IF NOT EXISTS disabled_agents (agent TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS agent_configs (
  owner TEXT NOT NULL, agent TEXT NOT NULL, config TEXT NOT NULL, PRIMARY KEY (owner, agent));
CREATE TABLE IF NOT EXISTS workflows (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, name TEXT NOT NULL,
  description TEXT NOT NULL, server TEXT NOT NULL, hash TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, size INTEGER NOT NULL DEFAULT 0,
  content TEXT);
CREATE INDEX IF NOT EXISTS workflows_of_owner ON workflows (owner, size);
CREATE TABLE IF NOT EXISTS versions (
  id INTEGER PRIMARY KEY AUTOINCREMENT, workflow INTEGER NOT NULL, owner TEXT NOT NULL,
  number INTEGER NOT NULL, from_number INTEGER, hash TEXT NOT NULL, summary TEXT NOT NULL,
  session TEXT NOT NULL, created_at INTEGER NOT NULL, size INTEGER NOT NULL,
  content TEXT NOT NULL, UNIQUE (workflow, number));
CREATE INDEX IF NOT EXISTS versions_of_owner ON versions (owner, size);
CREATE TABLE IF NOT EXISTS files (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, stored_name TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL, type TEXT NOT NULL, business_type TEXT NOT NULL, business_id TEXT NOT NULL,
  size INTEGER NOT NULL, created_at INTEGER NOT NULL, downloads INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS files_of_owner ON files (owner, size);
PRAGMA user_version = 1;
)";

}  // namespace

sql::FileKind FrontEndStore::file_kind() { return {0, kFormat}; }

Result<std::unique_ptr<FrontEndStore>> FrontEndStore::open(const std::string& data_dir,
                                                           const core::Clock& clock,
                                                           core::Entropy& entropy) {
  const std::string path = data_dir + "/front_end.db";
  if (Result<void> made = core::make_private_file(path); !made) {
    return core::fail(std::move(made.error()));
  }
  auto database = sql::Database::open(path, sql::OpenMode::create);
  if (!database) return core::fail(std::move(database.error()));
  database->set_busy_timeout();
  const Result<std::int64_t> format = sql::file_version(*database, file_kind());
  if (!format) return core::fail(format.error());
  for (const char* sql : {"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;", kSchema}) {
    if (Result<void> done = database->execute(sql); !done) {
      return core::fail(std::move(done.error()));
    }
  }
  std::unique_ptr<FrontEndStore> store(
      new FrontEndStore(std::move(*database), data_dir + "/files", clock, entropy));
  if (Result<void> loaded = store->agents_.load(); !loaded) {
    return core::fail(std::move(loaded.error()));
  }
  if (Result<void> swept = store->uploads_.sweep(); !swept) {
    return core::fail(std::move(swept.error()));
  }
  return store;
}

FrontEndStore::FrontEndStore(sql::Database database, std::string folder, const core::Clock& clock,
                             core::Entropy& entropy)
    : database_(std::move(database)),
      agents_(database_),
      workflows_(database_, clock),
      uploads_(database_, std::move(folder), clock, entropy),
      worker_(clock) {}

FrontEndStore::~FrontEndStore() { stop(); }

void FrontEndStore::stop() { worker_.stop(); }

Result<void> FrontEndStore::enter(std::size_t bytes) {
  const std::size_t calls = waiting_calls_.fetch_add(1);
  const std::size_t held = waiting_bytes_.fetch_add(bytes);
  if (calls < kMaxWaitingCalls && (bytes == 0 || held == 0 || held + bytes <= kMaxWaitingBytes))
    return {};
  leave(bytes);
  return core::fail(core::Code::resource_exhausted,
                    "Too many requests wait for workflows and files. Try again later.");
}

void FrontEndStore::leave(std::size_t bytes) {
  waiting_calls_.fetch_sub(1);
  waiting_bytes_.fetch_sub(bytes);
}

}  // namespace parley::front_end
