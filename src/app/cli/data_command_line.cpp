// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/data_command_line.h"

#include <utility>

namespace parley::app {

void DataCommandLine::add_to(CLI::App& app) {
  add_export(app);
  add_import(app);
  add_migrate(app);
  add_verify(app);
  add_cluster(app);
}

CLI::App& DataCommandLine::add(CLI::App& app, const char* name, const char* about,
                               std::function<int(const Settings&)> use) {
  return add_data_command(app, name, about, flags_, chosen_, std::move(use));
}

void DataCommandLine::add_export(CLI::App& app) {
  CLI::App& command =
      add(app, "export",
          "Example:\n  parley export --out history.jsonl\n\nWrites the events of the data "
          "directory, one JSON object per line. The server may be running.",
          [this](const Settings& s) { return export_events(s, export_); });
  command.add_option("--session", export_.session, "Only the events of this session")
      ->type_name("ID");
  command.add_option("--out", export_.out, "Output file; - is stdout, and the default")
      ->type_name("FILE");
}

void DataCommandLine::add_import(CLI::App& app) {
  CLI::App& command =
      add(app, "import",
          "Example:\n  parley import --store-url postgresql://parley@db.example/parley\n\nCopies "
          "all stores of the data directory into a database, or with --from a database into the "
          "data directory, and compares them. Stop the server first.",
          [this](const Settings& s) { return import_stores(s, import_); });
  command
      .add_option("--from", import_.from,
                  "The place to copy: a data directory, or the address of a database. Default: the "
                  "data directory")
      ->type_name("PLACE");
  command.add_flag("--json", import_.json, "As JSON");
}

void DataCommandLine::add_migrate(CLI::App& app) {
  CLI::App& command = add(
      app, "migrate",
      "Example:\n  parley migrate --check\n\nBrings the stores of an older version to that of "
      "this program, which a server also does at\nits start. Servers may use a database "
      "meanwhile. Exit codes of --check: 0 nothing is to be\ndone, 1 something is, 8 a store is "
      "refused.",
      [this](const Settings& s) { return migrate_stores(s, migrate_); });
  command.add_flag("--check", migrate_.check, "Say what would be done; changes nothing");
  command.add_flag("--json", migrate_.json, "As JSON");
}

void DataCommandLine::add_verify(CLI::App& app) {
  CLI::App& command =
      add(app, "verify",
          "Example:\n  parley verify\n  parley verify --out decisions.jsonl\n\nChecks "
          "that each decision of a person is as it was recorded, by a chain of hashes "
          "over\neach workspace, and prints its last hash. Keep that: with --head it "
          "proves later that\nnothing before it changed.",
          [this](const Settings& s) { return verify_decisions(s, verify_); });
  command.add_option("file", verify_.file, "A file of --out, instead of the data directory")
      ->type_name("FILE");
  command.add_option("--head", verify_.heads, "A hash that must be in the chain; may be repeated")
      ->type_name("HASH")
      ->allow_extra_args(false);
  command
      .add_option("--out", verify_.out, "Writes what was checked to a file, for others to verify")
      ->type_name("FILE");
  command.add_flag("--json", verify_.json, "As JSON");
}

void DataCommandLine::add_cluster(CLI::App& app) {
  CLI::App& cluster = add_group(
      app, "cluster",
      "Example:\n  parley cluster status\n\nServers that share a database (docs/cluster.md).");
  CLI::App& status = add(cluster, "status", "Lists the nodes, with the slots of each.",
                         [this](const Settings& s) { return show_cluster(s, json_); });
  status.add_flag("--json", json_, "As JSON");
  CLI::App& drain = add(cluster, "drain", "Moves the slots of a node to the others.",
                        [this](const Settings& s) { return drain_node(s, node_, undo_); });
  drain.add_option("node", node_, "Name of the node")->required();
  drain.add_flag("--undo", undo_, "Let it take its slots again");
}

}  // namespace parley::app
