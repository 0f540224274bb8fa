// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/front_end/front_end_store.h"

#include "base/core/result.h"
#include "base/sql/opening.h"

namespace parley::front_end {
namespace {

using core::Result;

// Contents are the last columns, so that queries that do not select them do not read their pages.
constexpr const char* kSteps[] = {R"(
CREATE TABLE disabled_agents (agent TEXT PRIMARY KEY);
CREATE TABLE agent_configs (
  owner TEXT NOT NULL, agent TEXT NOT NULL, config TEXT NOT NULL, PRIMARY KEY (owner, agent));
CREATE TABLE workflows (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, name TEXT NOT NULL,
  description TEXT NOT NULL, server TEXT NOT NULL, hash TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, size INTEGER NOT NULL DEFAULT 0,
  content TEXT);
CREATE INDEX workflows_of_owner ON workflows (owner, size);
CREATE TABLE versions (
  id INTEGER PRIMARY KEY AUTOINCREMENT, workflow INTEGER NOT NULL, owner TEXT NOT NULL,
  number INTEGER NOT NULL, from_number INTEGER, hash TEXT NOT NULL, summary TEXT NOT NULL,
  session TEXT NOT NULL, created_at INTEGER NOT NULL, size INTEGER NOT NULL,
  content TEXT NOT NULL, UNIQUE (workflow, number));
CREATE INDEX versions_of_owner ON versions (owner, size);
CREATE TABLE files (
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, stored_name TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL, type TEXT NOT NULL, business_type TEXT NOT NULL, business_id TEXT NOT NULL,
  size INTEGER NOT NULL, created_at INTEGER NOT NULL, downloads INTEGER NOT NULL);
CREATE INDEX files_of_owner ON files (owner, size);
)",
                                  // The bytes of files in PostgreSQL; see UploadStore.
                                  R"(
CREATE TABLE file_parts (
  file INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (file, part));
)"};
constexpr sql::Schema kSchema{.steps = kSteps};

}  // namespace

const sql::Schema& FrontEndStore::schema() { return kSchema; }

Result<std::unique_ptr<FrontEndStore>> FrontEndStore::open(const sql::StorePlace& place,
                                                           const core::Clock& clock,
                                                           core::Entropy& entropy) {
  PARLEY_TRY(auto database, sql::open_store(place, "front_end", kSchema));
  Parts parts;
  parts.database = std::make_unique<sql::Database>(std::move(database));
  PARLEY_TRY(parts.agents, AgentSettings::open(*parts.database));
  parts.workflows = WorkflowStore::open(*parts.database, clock);
  PARLEY_TRY(parts.uploads,
             UploadStore::open(*parts.database, place.data_dir + "/files", clock, entropy));
  return std::make_unique<FrontEndStore>(std::move(parts), clock);
}

FrontEndStore::FrontEndStore(Parts parts, const core::Clock& clock)
    : parts_(std::move(parts)), worker_(clock) {}

FrontEndStore::~FrontEndStore() { stop(); }

void FrontEndStore::stop() { worker_.stop(); }

Result<void> FrontEndStore::enter(std::size_t bytes) {
  const std::size_t calls = waiting_calls_.fetch_add(1);
  const std::size_t held = waiting_bytes_.fetch_add(bytes);
  if (calls < kMaxWaitingCalls && (bytes == 0 || held == 0 || held + bytes <= kMaxWaitingBytes))
    return {};
  leave(bytes);
  return core::fail(core::Code::resource_exhausted,
                    "Too many workflow and file requests are waiting. Try again later.");
}

void FrontEndStore::leave(std::size_t bytes) {
  waiting_calls_.fetch_sub(1);
  waiting_bytes_.fetch_sub(bytes);
}

}  // namespace parley::front_end
