// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/store_version.h"

#include <utility>

#include "base/sql/opening.h"

namespace parley::app {
namespace {

core::Result<sql::Database> open_as_it_is(const sql::StorePlace& place, const KnownStore& store,
                                          sql::OpenMode mode) {
  if (!place.url.empty()) return sql::connect_store(place, store.name, store.schema);
  return sql::connect(place.data_dir + "/" + store.file(), mode, {});
}

}  // namespace

StoreVersion version_of(const sql::StorePlace& place, const KnownStore& store) {
  using State = StoreVersion::State;
  StoreVersion out;
  out.name = place.url.empty() ? store.file() : "parley_" + std::string(store.name);
  out.known = store.schema.kind().version;
  auto database = open_as_it_is(place, store, sql::OpenMode::read_only);
  const auto version = database ? sql::file_version(*database, store.schema.kind())
                                : core::fail(std::move(database.error()));
  if (!version) {
    if (version.error().code == core::Code::not_found) return out;
    out.state = State::refused;
    out.reason = version.error().message;
    return out;
  }
  out.version = *version;
  if (out.version == out.known) {
    out.state = State::current;
  } else if (out.version > 0) {
    out.state = State::older;
  }
  return out;
}

core::Result<void> migrate_store(const sql::StorePlace& place, const KnownStore& store) {
  PARLEY_TRY(sql::Database database, open_as_it_is(place, store, sql::OpenMode::read_write));
  return sql::migrate(database, store.schema);
}

std::vector<KnownStore> stores_of(const sql::StorePlace& place) {
  std::vector<KnownStore> out = known_stores();
  out.push_back(session_store());
  if (place.url.empty()) return out;
  out.push_back(secret_store());
  out.push_back(cluster_store());
  return out;
}

}  // namespace parley::app
