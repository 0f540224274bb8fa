// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/known_stores.h"
#include "app/server/exit_code.h"
#include "app/server/shared_secrets.h"
#include "app/server/terminal.h"
#include "base/core/json_writer.h"
#include "base/sql/data_dir.h"
#include "base/sql/opening.h"
#include "base/sql/store_copy.h"
#include "identity/auth/secret_files.h"
#include "model/event/data_dir_lock.h"

namespace parley::app {
namespace {

using core::Code;

struct Imported {
  std::string store;
  std::vector<sql::CopiedTable> tables;

  std::uint64_t rows() const {
    std::uint64_t sum = 0;
    for (const sql::CopiedTable& table : tables) sum += table.rows;
    return sum;
  }
};

sql::StorePlace place_of(const std::string& from, bool pooled) {
  sql::StorePlace place;
  if (from.starts_with("postgres://") || from.starts_with("postgresql://")) {
    place.url = from;
    place.pooled = pooled;
  } else {
    place.data_dir = from;
  }
  return place;
}

// std::nullopt: the place has no such store.
core::Result<std::optional<Imported>> import_store(const sql::StorePlace& from,
                                                   const sql::StorePlace& to,
                                                   const KnownStore& store) {
  auto source = sql::open_store_to_read(from, store.name, store.schema);
  if (!source && source.error().code == Code::not_found) return std::nullopt;
  if (!source) return core::fail(std::move(source.error()));
  PARLEY_TRY(sql::Database target, sql::open_store(to, store.name, store.schema));
  const auto after = [&store](sql::Database& database) -> core::Result<void> {
    return store.after_copy == nullptr ? core::Result<void>() : store.after_copy(database);
  };
  PARLEY_TRY(std::vector<sql::CopiedTable> tables, sql::copy_store(*source, target, after));
  return Imported{std::string(store.name), std::move(tables)};
}

// Sessions come last: a place that has some was imported whole, or is in use.
core::Result<std::vector<Imported>> import_all(const sql::StorePlace& from,
                                               const sql::StorePlace& to) {
  const KnownStore sessions = session_store();
  auto there = sql::open_store_to_read(to, sessions.name, sessions.schema);
  // A store of another version may have sessions too.
  if (!there && there.error().code != Code::not_found) return core::fail(std::move(there.error()));
  if (there) {
    PARLEY_TRY(const std::uint64_t count, there->count("SELECT count(*) FROM sessions"));
    if (count > 0) {
      return core::fail(Code::failed_precondition, "It has " + std::to_string(count) +
                                                       " sessions already, which would be lost.");
    }
  }
  std::vector<KnownStore> stores = known_stores();
  stores.push_back(sessions);
  PARLEY_TRY(const std::size_t secrets, copy_all_secrets(from, to));
  std::vector<Imported> out;
  if (secrets > 0) out.push_back({std::string(auth::kSecretStore), {{"files", secrets}}});
  const std::size_t before = out.size();
  for (const KnownStore& store : stores) {
    if (!store.is_copied) continue;
    PARLEY_TRY(std::optional<Imported> imported, import_store(from, to, store));
    if (imported) out.push_back(std::move(*imported));
  }
  if (out.size() == before) return core::fail(Code::not_found, "There is no store of Parley.");
  return out;
}

std::string as_json(const std::vector<Imported>& all) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  for (const Imported& store : all) {
    json.begin_object().key("store").string(store.store).key("tables").begin_array();
    for (const sql::CopiedTable& table : store.tables) {
      json.begin_object().key("name").string(table.name).key("rows").number(table.rows);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
  return out + "\n";
}

std::string as_text(const std::vector<Imported>& all) {
  std::string out;
  for (const Imported& store : all) {
    const std::uint64_t rows = store.rows();
    out += store.store + std::string(12 - std::min<std::size_t>(store.store.size(), 11), ' ') +
           std::to_string(rows) + (rows == 1 ? " row" : " rows") + "\n";
  }
  return out + "Each was read again and is the same.\n";
}

int refuse_in_use(const core::Error& error, const std::string& folder) {
  complain({"The data directory " + folder + " is in use.", error.message,
            "Stop its server first: a copy of what goes on would miss its end."});
  return kExitDataInUse;
}

}  // namespace

int import_stores(const Settings& settings, const ImportOptions& options) {
  const sql::StorePlace to = settings.stores();
  const sql::StorePlace from =
      place_of(options.from.empty() ? settings.data : options.from, settings.store_pooled);
  if (from.url == to.url && (!to.url.empty() || from.data_dir == to.data_dir)) {
    complain({"The stores would be copied onto themselves.", "",
              "Name the place to copy with --from, or the database to fill with --store-url."});
    return kExitUsage;
  }
  if (const auto created = sql::make_data_dir(settings.data); !created) {
    complain(
        {"The data directory " + settings.data + " cannot be used.", created.error().message, ""});
    return kExitDataBroken;
  }
  const auto lock = event::DataDirLock::acquire(settings.data);
  if (!lock) return refuse_in_use(lock.error(), settings.data);
  std::optional<event::DataDirLock> source_lock;
  if (from.url.empty() && from.data_dir != settings.data) {
    auto locked = event::DataDirLock::acquire(from.data_dir);
    if (!locked) return refuse_in_use(locked.error(), from.data_dir);
    source_lock = std::move(*locked);
  }
  const auto imported = import_all(from, to);
  if (!imported) {
    complain({"The stores of " + from.name() + " cannot be copied to " + to.name() + ".",
              imported.error().message,
              "Nothing is missing where they were. `parley doctor` looks at both places."});
    return kExitDataBroken;
  }
  const bool printed = options.json ? print(as_json(*imported)) : print_text(as_text(*imported));
  return printed ? kExitOk : kExitFailure;
}

}  // namespace parley::app
