// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "server/settings.h"

namespace parley::app {

// A fault in the configuration, said so that a person can mend it.
struct Problem {
  std::string
      where;  // "parley.toml, line 3", "environment variable PARLEY_LISTEN", "flag --listen"
  std::string message;  // one sentence
  std::string hint;     // one sentence, may be empty

  std::string to_string() const;  // "where: message hint"
};

// The value of a setting that no other source names, instead of the table's fallback.
struct SettingDefault {
  std::string key;
  std::string text;
  std::string origin;  // as EffectiveSetting::origin
};

// The sources of the settings; later ones win: defaults, file, environment, flags.
struct ConfigSources {
  std::vector<SettingDefault> defaults;
  std::string file_name;  // as shown in problems
  std::optional<std::string> file_text;
  std::vector<std::pair<std::string, std::string>> environment;  // all of it; others are skipped
  std::vector<std::pair<std::string, std::string>> flags;        // key of the setting, text
};

// A setting with where its value comes from.
struct EffectiveSetting {
  const Setting* setting = nullptr;
  SettingValue value;
  std::string origin;  // "default", or as Problem::where
};

// One table of a group, as the file has it.
struct EffectiveEntry {
  const SettingGroup* group = nullptr;
  std::string origin;
  std::vector<EffectiveSetting> values;  // in the order of the group's fields
};

struct Configuration {
  Settings settings;
  std::vector<EffectiveSetting> values;  // in the order of the table
  std::vector<EffectiveEntry> entries;   // in the order of the file
  std::vector<Problem> warnings;         // unknown PARLEY_ variables: they do not stop the start
};

// All problems at once: of the file, of the environment, of the flags, then of values that do not
// fit together.
using ConfigResult = tl::expected<Configuration, std::vector<Problem>>;

ConfigResult load_config(const ConfigSources& sources);

// The text of a parley.toml that gives the same settings, with each value's origin as a comment.
// Secrets are masked.
std::string show_config(const Configuration& config);

// The file that is read when no --config is given: $PARLEY_CONFIG, else
// $XDG_CONFIG_HOME/parley/parley.toml (~/.config), else /etc/parley/parley.toml; the first two
// must be readable if named, the others may be absent. Empty: there is none.
struct ConfigFile {
  std::string path;
  bool required = false;
};
ConfigFile find_config_file(const std::string& from_flag);

// The variables of this process. Only for the time before there are other threads that set some.
model::Environment process_environment();

// Fills ConfigSources from this process: reads the file and the environment.
// Errors: `not_found`, `permission_denied` (the named file cannot be read).
core::Result<ConfigSources> gather_sources(const std::string& config_flag,
                                           std::vector<std::pair<std::string, std::string>> flags);

// The data directory of this user when no setting names one.
std::string default_data_directory();

// The folder for what programs of this user remember: $XDG_STATE_HOME/parley, else
// ~/.local/state/parley.
std::string default_state_directory();

}  // namespace parley::app
