// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "app/cli/commands.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "base/sql/database_facts.h"
#include "model/placement/postgres_home_store.h"

namespace parley::app {
namespace {

// The homes in the database of the settings; null: they cannot be opened, which was said.
std::unique_ptr<placement::PostgresHomeStore> open_homes(const Settings& settings) {
  if (settings.store_url.empty()) {
    complain({"There is no cluster.", "The stores are files of the data directory.",
              "Name the database of the cluster with --store-url or PARLEY_STORE_URL."});
    return nullptr;
  }
  auto opened = placement::PostgresHomeStore::open(settings.stores());
  if (opened) return std::move(*opened);
  complain({"The cluster cannot be read.", opened.error().message,
            "`parley doctor` looks at the database of store.url."});
  return nullptr;
}

int fail_reading(const core::Error& error) {
  complain({"The cluster cannot be read.", error.message,
            "`parley doctor` looks at the database of store.url."});
  return kExitFailure;
}

std::string_view state_of(const placement::Node& node) {
  if (!node.is_live) return "lost";
  return node.is_draining ? "draining" : "live";
}

core::Result<sql::DatabaseFacts> facts_of_database(const Settings& settings) {
  const sql::StorePlace place = settings.stores();
  PARLEY_TRY(sql::Database database,
             sql::Database::connect({place.url, "parley_cluster", place.pooled}));
  return sql::facts_of(database);
}

// The slots and the live nodes of a view.
struct Counts {
  std::map<placement::NodeId, std::size_t> slots;
  std::size_t placed = 0;  // slots with a live home
  std::size_t live = 0;    // nodes
};

Counts counts_of(const placement::View& view) {
  Counts out;
  for (std::size_t i = 0; i < view.homes.size(); ++i) {
    ++out.slots[view.homes[i].node];
    if (!view.is_free(static_cast<placement::Slot>(i))) ++out.placed;
  }
  for (const placement::Node& node : view.nodes) out.live += node.is_live ? 1 : 0;
  return out;
}

std::string as_json(const placement::View& view, const sql::DatabaseFacts& database) {
  Counts counts = counts_of(view);
  const std::string object = core::json_object([&](core::JsonWriter& json) {
    json.key("slots").number(static_cast<std::uint64_t>(placement::kSlots));
    json.key("placed").number(static_cast<std::uint64_t>(counts.placed));
    json.key("synchronous_standbys").number(database.synchronous_standbys);
    json.key("other_standbys").number(database.other_standbys);
    json.key("nodes").begin_array();
    for (const placement::Node& node : view.nodes) {
      json.begin_object().key("name").string(node.description.name);
      json.key("id").number(node.id).key("state").string(state_of(node));
      json.key("slots").number(static_cast<std::uint64_t>(counts.slots[node.id]));
      json.key("link").string(node.description.link);
      json.key("version").string(node.description.version).end_object();
    }
    json.end_array();
  });
  return object + "\n";
}

std::string as_table(const placement::View& view, const sql::DatabaseFacts& database) {
  Counts counts = counts_of(view);
  constexpr std::size_t kStateWidth = 8;
  constexpr std::size_t kSlotsWidth = 5;
  std::size_t name_width = 4;
  std::size_t link_width = 4;
  for (const placement::Node& node : view.nodes) {
    name_width = std::max(name_width, node.description.name.size());
    link_width = std::max(link_width, node.description.link.size());
  }
  std::string out = padded("NODE", name_width) + padded("STATE", kStateWidth) +
                    padded("SLOTS", kSlotsWidth) + padded("LINK", link_width) + "VERSION\n";
  for (const placement::Node& node : view.nodes) {
    out += padded(node.description.name, name_width) + padded(state_of(node), kStateWidth) +
           padded(std::to_string(counts.slots[node.id]), kSlotsWidth) +
           padded(node.description.link, link_width) + node.description.version + "\n";
  }
  out += std::to_string(counts.live) + " nodes live, " + std::to_string(counts.placed) + " of " +
         std::to_string(placement::kSlots) + " slots have a home.\n";
  if (database.synchronous_standbys == 0) {
    return out + "No commit waits for a standby: `parley doctor` says more.\n";
  }
  return out + "Standbys of the database: " + std::to_string(database.synchronous_standbys) +
         " synchronous, " + std::to_string(database.other_standbys) + " others.\n";
}

}  // namespace

int show_cluster(const Settings& settings, bool json) {
  const auto homes = open_homes(settings);
  if (homes == nullptr) return kExitUsage;
  const core::Result<placement::View> view = homes->view();
  if (!view) return fail_reading(view.error());
  const auto database = facts_of_database(settings);
  if (!database) return fail_reading(database.error());
  const bool printed =
      json ? print(as_json(*view, *database)) : print_text(as_table(*view, *database));
  return printed ? kExitOk : kExitFailure;
}

int drain_node(const Settings& settings, const std::string& name, bool undo) {
  const auto homes = open_homes(settings);
  if (homes == nullptr) return kExitUsage;
  const core::Result<placement::View> view = homes->view();
  if (!view) return fail_reading(view.error());
  const auto node = std::find_if(view->nodes.begin(), view->nodes.end(), [&](const auto& each) {
    return each.is_live && each.description.name == name;
  });
  if (node == view->nodes.end()) {
    complain({"No live node has the name \"" + name + "\".", "",
              "`parley cluster status` shows the nodes."});
    return kExitFailure;
  }
  const core::Result<void> done = homes->set_draining(node->id, !undo);
  if (!done) return fail_reading(done.error());
  const std::string text =
      undo ? name + " takes its slots again\n" : name + " gives its slots to the other nodes\n";
  return print_text(text) ? kExitOk : kExitFailure;
}

}  // namespace parley::app
