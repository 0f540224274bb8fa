// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/store_version.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/json_writer.h"
#include "base/sql/database.h"
#include "model/event/data_dir_lock.h"

namespace parley::app {
namespace {

// A store, and whether this command has changed it.
struct Migrated {
  StoreVersion version;
  bool is_changed = false;
};

Migrated migrate_one(const sql::StorePlace& place, const KnownStore& store) {
  StoreVersion before = version_of(place, store);
  if (before.state != StoreVersion::State::older) return {std::move(before)};
  if (const auto done = migrate_store(place, store); !done) {
    before.state = StoreVersion::State::refused;
    before.reason = done.error().message;
    return {std::move(before)};
  }
  return {version_of(place, store), true};
}

std::string_view name_of(StoreVersion::State state) {
  switch (state) {
    case StoreVersion::State::missing:
      return "missing";
    case StoreVersion::State::current:
      return "current";
    case StoreVersion::State::older:
      return "older";
    case StoreVersion::State::refused:
      return "refused";
  }
  return "";
}

std::string as_json(const std::vector<Migrated>& all) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  for (const auto& [store, is_changed] : all) {
    json.begin_object().key("store").string(store.name);
    json.key("state").string(name_of(store.state));
    json.key("version").number(store.version).key("known").number(store.known);
    json.key("migrated").boolean(is_changed);
    if (!store.reason.empty()) json.key("reason").string(store.reason);
    json.end_object();
  }
  json.end_array();
  return out + "\n";
}

std::string detail_of(const Migrated& store) {
  const StoreVersion& version = store.version;
  switch (version.state) {
    case StoreVersion::State::missing:
      return "the first start that needs it makes it";
    case StoreVersion::State::current:
      break;
    case StoreVersion::State::older:
      return "version " + std::to_string(version.version) + ", this program knows " +
             std::to_string(version.known);
    case StoreVersion::State::refused:
      return version.reason;
  }
  const std::string number =
      version.known == 0 ? "without a version" : "version " + std::to_string(version.version);
  return store.is_changed ? number + ", migrated" : number;
}

std::string as_text(const std::vector<Migrated>& all) {
  std::size_t width = 0;
  for (const Migrated& store : all) width = std::max(width, store.version.name.size());
  constexpr std::size_t kStateWidth = 7;
  std::string out;
  for (const Migrated& store : all) {
    out += padded(store.version.name, width) + padded(name_of(store.version.state), kStateWidth) +
           detail_of(store) + "\n";
  }
  const auto count = [&all](StoreVersion::State state) {
    return std::count_if(all.begin(), all.end(),
                         [state](const Migrated& store) { return store.version.state == state; });
  };
  if (count(StoreVersion::State::refused) > 0) return out;
  if (const auto older = count(StoreVersion::State::older); older > 0) {
    return out + std::to_string(older) +
           " to be migrated: `parley migrate` does it, and so does the next start of a server.\n";
  }
  return out + "Nothing is to be migrated.\n";
}

int exit_code_of(const std::vector<Migrated>& all) {
  int code = kExitOk;
  for (const Migrated& store : all) {
    if (store.version.state == StoreVersion::State::refused) return kExitDataBroken;
    if (store.version.state == StoreVersion::State::older) code = kExitFailure;
  }
  return code;
}

int refuse(const std::string& name, const core::Error& error) {
  complain({"The stores of " + name + " cannot be read.", error.message,
            "`parley doctor` looks at them."});
  return kExitDataBroken;
}

}  // namespace

int migrate_stores(const Settings& settings, const MigrateOptions& options) {
  const sql::StorePlace place = settings.stores();
  std::optional<event::DataDirLock> lock;
  std::error_code ignored;
  if (!place.url.empty()) {
    const auto reached = sql::Database::connect({place.url, "parley_events", place.pooled});
    if (!reached) return refuse(place.name(), reached.error());
  } else if (!options.check && std::filesystem::is_directory(settings.data, ignored)) {
    auto locked = event::DataDirLock::acquire(settings.data);
    if (!locked) {
      complain({"The data directory " + settings.data + " is in use.", locked.error().message,
                "Its server has migrated it at its start. --check looks beside it."});
      return kExitDataInUse;
    }
    lock = std::move(*locked);
  }
  std::vector<Migrated> all;
  for (const KnownStore& store : stores_of(place)) {
    all.push_back(options.check ? Migrated{version_of(place, store)} : migrate_one(place, store));
  }
  const bool printed = options.json ? print(as_json(all)) : print_text(as_text(all));
  return printed ? exit_code_of(all) : kExitFailure;
}

}  // namespace parley::app
