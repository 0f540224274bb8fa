// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/server/settings.h"
#include "base/core/result.h"

namespace parley::app {

// A fault in the configuration, described for a person who can correct it.
struct Problem {
  std::string
      where;  // "parley.toml, line 3", "environment variable PARLEY_LISTEN", "flag --listen"
  std::string message;  // one sentence
  std::string hint;     // one sentence, may be empty

  std::string to_string() const;  // "where: message hint"
};

// A value that replaces the table's fallback if no other source names the setting.
struct SettingDefault {
  std::string key;
  std::string text;
  std::string origin;  // in the form of EffectiveSetting::origin
};

// The sources of the settings, in order of increasing precedence: defaults, file, environment,
// flags.
struct ConfigSources {
  std::vector<SettingDefault> defaults;
  std::string file_name;  // as shown in problems
  std::optional<std::string> file_text;
  // All variables; only those of settings are read.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::pair<std::string, std::string>> flags;  // key of the setting, text
};

// A setting with its value and the origin of that value.
struct EffectiveSetting {
  const Setting* setting = nullptr;
  SettingValue value;
  std::string origin;  // "default", or in the form of Problem::where
};

// One table of a group, as written in the file.
struct EffectiveEntry {
  const SettingGroup* group = nullptr;
  std::string origin;
  std::vector<EffectiveSetting> values;  // in the order of the group's fields
};

struct Configuration {
  Settings settings;
  std::vector<EffectiveSetting> values;  // in the order of the table
  std::vector<EffectiveEntry> entries;   // in the order of the file
  std::vector<Problem> warnings;         // unknown PARLEY_ variables: they do not prevent the start
};

// Errors: all problems at once, of the file, of the environment, of the flags, and then of values
// that contradict each other.
using ConfigResult = tl::expected<Configuration, std::vector<Problem>>;

ConfigResult load_config(const ConfigSources& sources);

// The text of a parley.toml with the same settings and each value's origin as a comment. Secrets
// are masked.
std::string show_config(const Configuration& config);
// The same as one JSON object on one line: "settings" and "groups", each value with its key and
// origin.
std::string config_json(const Configuration& config);

// The file that is read without --config: $PARLEY_CONFIG, else $XDG_CONFIG_HOME/parley/parley.toml
// (~/.config), else /etc/parley/parley.toml. The last two files may be absent; a file that is named
// or present must be readable. Empty: no file.
struct ConfigFile {
  std::string path;
  bool required = false;
};
ConfigFile find_config_file(const std::string& from_flag);

// The environment of this process. Call it before the first thread that might change a variable.
model::Environment process_environment();

// Reads file and environment of this process. Errors: `not_found` (the configuration file cannot be
// read).
core::Result<ConfigSources> gather_sources(const std::string& config_flag,
                                           std::vector<std::pair<std::string, std::string>> flags);

// The data directory of this user, for settings that name no directory.
std::string default_data_directory();

// The folder for the state of this user's programs: $XDG_STATE_HOME/parley, else
// ~/.local/state/parley.
std::string default_state_directory();

}  // namespace parley::app
