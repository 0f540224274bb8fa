// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/offline_store.h"

#include <utility>

#include "base/core/try.h"
#include "base/sql/database.h"
#include "model/event/decision_reader.h"
#include "model/event/doctor.h"
#include "model/event/schema.h"
#include "model/event/sqlite_session_reader.h"
#include "model/event/sqlite_session_store.h"

namespace parley::event {
namespace {

core::Result<sql::Database> open_file(const std::string& data_dir) {
  return sql::Database::open(store_path(data_dir), sql::OpenMode::read_only);
}

class SqliteOfflineStore final : public OfflineStore {
 public:
  explicit SqliteOfflineStore(std::string data_dir) : data_dir_(std::move(data_dir)) {}

  core::Result<std::unique_ptr<SessionReader>> make_reader() override {
    PARLEY_TRY(sql::Database database, open_current());
    return SqliteSessionReader::make(std::move(database));
  }

  core::Result<StoreReport> examine() override {
    PARLEY_TRY(sql::Database database, open_file(data_dir_));
    return examine_file(database);
  }

  core::Result<void> decisions(const DecisionSink& use, const UndecidedSink& missing) override {
    PARLEY_TRY(sql::Database database, open_current());
    return read_decisions(database, use, missing);
  }

 private:
  // The file, if this version of Parley has written it.
  core::Result<sql::Database> open_current() const {
    PARLEY_TRY(sql::Database database, open_file(data_dir_));
    PARLEY_TRY(const int version, schema_version(database));
    if (version == 0) return core::fail(core::Code::not_found, "The store is empty.");
    if (version < kSchemaVersion) {
      return core::fail(core::Code::failed_precondition,
                        "An older version of Parley wrote this data directory. Start the server of "
                        "this version on it once, then try again.");
    }
    return database;
  }

  const std::string data_dir_;
};

}  // namespace

core::Result<std::unique_ptr<OfflineStore>> open_offline_store(const std::string& data_dir) {
  PARLEY_TRY_VOID(open_file(data_dir));
  return std::make_unique<SqliteOfflineStore>(data_dir);
}

core::Result<std::unique_ptr<SessionReader>> open_offline_reader(const std::string& data_dir) {
  const core::Result<std::unique_ptr<OfflineStore>> store = open_offline_store(data_dir);
  core::Result<std::unique_ptr<SessionReader>> reader =
      store ? (*store)->make_reader() : core::fail(store.error());
  if (!reader && reader.error().code == core::Code::not_found) return nullptr;
  return reader;
}

}  // namespace parley::event
