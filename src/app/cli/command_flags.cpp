// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_flags.h"

#include "absl/strings/ascii.h"
#include "app/cli/help_format.h"
#include "app/cli/serve_command.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"

namespace parley::app {
namespace {

const char* group_of(std::string_view key) {
  if (key.starts_with("limits.")) return "Limits";
  if (key.starts_with("timeouts.")) return "Timeouts";
  if (key.starts_with("sessions.")) return "Sessions";
  if (key.starts_with("models.")) return "Models";
  if (key.starts_with("store.") || key.starts_with("retention.")) return "Store";
  if (key.starts_with("external_agent.") || key.starts_with("studies.") ||
      key.starts_with("booking.")) {
    return "Studies";
  }
  return "Server";
}

}  // namespace

void add_setting_flag(CLI::App& app, Flags& flags, const Setting& setting) {
  const std::string key(setting.key);
  const auto take = [&flags, key](const std::string& text) {
    flags.settings.emplace_back(key, text);
  };
  std::string help(setting.help);
  if (!setting.fallback.empty()) help += " Default: " + std::string(setting.fallback) + ".";
  if (setting.type == SettingType::boolean) {
    // `--allow-plain` alone means true; `--allow-plain=false` is possible as well.
    app.add_option_function<std::string>(flag_name(key), take, help)
        ->expected(0, 1)
        ->default_str("true")
        ->type_name("")
        ->group(group_of(key));
    return;
  }
  CLI::Option* option = app.add_option_function<std::string>(flag_name(key), take, help);
  option->group(group_of(key));
  if (setting.type == SettingType::secret) {
    option->type_name("TOKEN");
  } else if (setting.type == SettingType::path) {
    option->type_name(key == "data" ? "DIR" : "FILE");
  } else {
    option->type_name(absl::AsciiStrToUpper(std::string(setting_type_name(setting.type))));
  }
  if (!setting.choices.empty()) {
    allow_values(*option, {setting.choices.begin(), setting.choices.end()});
  }
}

void add_common_flags(CLI::App& app, Flags& flags) {
  app.add_option("--config", flags.config_file, "Configuration file")->type_name("FILE");
}

CLI::App& add_group(CLI::App& app, const char* name, const char* about) {
  CLI::App& group = *app.add_subcommand(name, about);
  group.require_subcommand(1);
  return group;
}

CLI::App& add_command(CLI::App& app, const char* name, const char* about, Flags& flags,
                      Chosen& chosen, std::function<int(const Settings&)> use) {
  CLI::App& command = *app.add_subcommand(name, about);
  add_common_flags(command, flags);
  command.callback([&flags, &chosen, use = std::move(use)] {
    chosen = [&flags, use] {
      return with_config(flags, [&use](const Configuration& c) { return use(c.settings); });
    };
  });
  return command;
}

CLI::App& add_data_command(CLI::App& app, const char* name, const char* about, Flags& flags,
                           Chosen& chosen, std::function<int(const Settings&)> use) {
  CLI::App& command = add_command(app, name, about, flags, chosen, std::move(use));
  for (const char* const place : {"data", "store.url", "store.pooled"}) {
    add_setting_flag(command, flags, *find_setting(place));
  }
  return command;
}

int with_config(const Flags& flags, const std::function<int(const Configuration&)>& use) {
  auto sources = gather_sources(flags.config_file, flags.settings);
  if (!sources) {
    complain({sources.error().message, "", "Give a file that exists with --config."});
    return kExitUsage;
  }
  sources->defaults = flags.defaults;
  const ConfigResult config = load_config(*sources);
  if (!config) {
    complain_about(config.error());
    return kExitUsage;
  }
  return use(*config);
}

int with_sources(const Flags& flags, const std::function<int(const ConfigSources&)>& use) {
  auto sources = gather_sources(flags.config_file, flags.settings);
  if (!sources) {
    complain({sources.error().message, "", "Give a file that exists."});
    return kExitUsage;
  }
  sources->defaults = flags.defaults;
  return use(*sources);
}

}  // namespace parley::app
