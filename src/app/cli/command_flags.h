// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/server/config.h"

namespace parley::app {

// The action that main runs after it has read the command line. Returns the exit code.
using Chosen = std::function<int()>;

// Values of settings that the flags of one subcommand give.
struct Flags {
  std::string config_file;
  std::vector<std::pair<std::string, std::string>> settings;  // key of the setting, text
  std::vector<SettingDefault> defaults;
};

// Adds a flag for one setting. `flags` must outlive `app`, here and below.
void add_setting_flag(CLI::App& app, Flags& flags, const Setting& setting);
// --config.
void add_common_flags(CLI::App& app, Flags& flags);
// Adds a subcommand that has subcommands of its own.
CLI::App& add_group(CLI::App& app, const char* name, const char* about);
// Adds a subcommand with --config. Sets `chosen`, which must outlive `app`, to `use` with the
// settings.
CLI::App& add_command(CLI::App& app, const char* name, const char* about, Flags& flags,
                      Chosen& chosen, std::function<int(const Settings&)> use);
// The same with --config and --data.
CLI::App& add_data_command(CLI::App& app, const char* name, const char* about, Flags& flags,
                           Chosen& chosen, std::function<int(const Settings&)> use);

// Loads the configuration and calls `use` with it; prints the problems of an invalid one.
int with_config(const Flags& flags, const std::function<int(const Configuration&)>& use);
int with_sources(const Flags& flags, const std::function<int(const ConfigSources&)>& use);

}  // namespace parley::app
