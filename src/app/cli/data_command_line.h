// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "app/cli/command_flags.h"
#include "app/cli/commands.h"

namespace parley::app {

// The commands about the stores of a server: `parley cluster`, `export`, `import`, `migrate`,
// `verify`. Each sets `chosen` to its action when the command line has been read. The arguments
// must outlive this object, and it must outlive the action.
class DataCommandLine {
 public:
  DataCommandLine(Flags& flags, Chosen& chosen) : flags_(flags), chosen_(chosen) {}

  void add_to(CLI::App& app);

 private:
  void add_cluster(CLI::App& app);
  void add_export(CLI::App& app);
  void add_import(CLI::App& app);
  void add_migrate(CLI::App& app);
  void add_verify(CLI::App& app);
  CLI::App& add(CLI::App& app, const char* name, const char* about,
                std::function<int(const Settings&)> use);

  Flags& flags_;
  Chosen& chosen_;
  ExportOptions export_;
  ImportOptions import_;
  MigrateOptions migrate_;
  VerifyOptions verify_;
  std::string node_;
  bool json_ = false;
  bool undo_ = false;
};

}  // namespace parley::app
