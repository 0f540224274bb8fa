// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/config.h"

#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "app/server/oauth_assembly.h"
#include "app/server/tls_assembly.h"
#include "base/core/id.h"
#include "base/core/json_writer.h"
#include "base/core/toml_dots.h"
#include "identity/access/entrance.h"
#include "identity/auth/token_store.h"

namespace parley::app {
namespace {

constexpr std::size_t kMaxFileBytes = 1U << 20U;
// Limit (Models): providers, and notifiers of one kind. Reached: the server does not start.
constexpr std::size_t kMaxEntries = 64;

// Names that begin with PARLEY_ and are not settings.
constexpr std::array<std::string_view, 4> kOtherVariables = {"PARLEY_CONFIG", "PARLEY_URL",
                                                             "PARLEY_HOST", "PARLEY_PORT"};

// Collects values and problems from all sources.
class Loader {
 public:
  Loader() {
    for (const Setting& setting : setting_table()) {
      auto value = parse_setting(setting, setting.fallback);
      values_.push_back({&setting, value.value_or(SettingValue(std::string())), "default"});
    }
  }

  void take_defaults(const std::vector<SettingDefault>& defaults) {
    for (const SettingDefault& one : defaults) {
      if (const Setting* setting = find_setting(one.key)) set(*setting, one.origin, one.text);
    }
  }

  void take_file(const std::string& name, std::string_view text) {
    if (text.size() > kMaxFileBytes) {
      problem(name, "The file is larger than 1 MiB.",
              "Check that this is a configuration file of Parley.");
      return;
    }
    if (core::count_toml_dots(text) > core::kMaxTomlDots) {
      problem(name, "The tables in the file are nested too deeply.",
              "Check that this is a configuration file of Parley.");
      return;
    }
    try {
      const toml::table root = toml::parse(text, name);
      take_table(name, "", root);
    } catch (const toml::parse_error& error) {
      problem(at_line(name, error.source()), std::string(error.description()) + ".",
              "The file must be TOML: key = \"value\".");
    }
  }

  void take_environment(const std::vector<std::pair<std::string, std::string>>& environment) {
    environment_ = {environment.begin(), environment.end()};
    for (const auto& [name, text] : environment) {
      if (!name.starts_with("PARLEY_")) continue;
      if (std::find(kOtherVariables.begin(), kOtherVariables.end(), name) !=
          kOtherVariables.end()) {
        continue;
      }
      const Setting* setting = setting_of_variable(name);
      if (setting == nullptr) {
        warnings_.push_back({"environment variable " + name, "This is not a setting.",
                             hint_for(nearest_by_variable(name))});
        continue;
      }
      set(*setting, "environment variable " + name, text);
    }
  }

  void take_flags(const std::vector<std::pair<std::string, std::string>>& flags) {
    for (const auto& [key, text] : flags) {
      const Setting* setting = find_setting(key);
      if (setting == nullptr) {
        problem("flag " + flag_name(key), "This is not a setting.", hint_for(nearest_setting(key)));
      } else {
        set(*setting, "flag " + flag_name(key), text);
      }
    }
  }

  ConfigResult finish() {
    Configuration out;
    for (const EffectiveSetting& value : values_) value.setting->store(out.settings, value.value);
    for (const EffectiveEntry& entry : entries_) {
      entry.group->begin(out.settings);
      for (const EffectiveSetting& value : entry.values) {
        value.setting->store(out.settings, value.value);
      }
    }
    check_providers(out.settings.models);
    model::add_well_known_providers(out.settings.models, [this](const std::string& name) {
      const auto found = environment_.find(name);
      return found == environment_.end() ? std::string() : found->second;
    });
    if (out.settings.data.empty()) out.settings.data = default_data_directory();
    if (!out.settings.public_url.empty()) {
      out.settings.server.allowed_origins.push_back(out.settings.public_url);
    }
    check_together(out.settings);
    if (!problems_.empty()) return tl::unexpected(std::move(problems_));
    out.values = std::move(values_);
    out.entries = std::move(entries_);
    out.warnings = std::move(warnings_);
    return out;
  }

 private:
  static std::string at_line(const std::string& name, const toml::source_region& source) {
    return name + ", line " + std::to_string(source.begin.line);
  }

  static const Setting* setting_of_variable(std::string_view name) {
    for (const Setting& setting : setting_table()) {
      if (environment_name(setting.key) == name) return &setting;
    }
    return nullptr;
  }

  static std::string_view nearest_by_variable(std::string_view name) {
    std::string key;
    for (const char c : name.substr(7)) {
      key.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    }
    if (const auto nearest = nearest_setting(key); !nearest.empty()) return nearest;
    const std::size_t joint = key.find('_');
    if (joint != std::string::npos) key[joint] = '.';
    return nearest_setting(key);
  }

  static std::string hint_for(std::string_view nearest) {
    if (nearest.empty()) return "docs/configuration.md lists all settings.";
    return "Did you mean " + std::string(nearest) + "?";
  }

  void problem(std::string where, std::string message, std::string hint) {
    problems_.push_back({std::move(where), std::move(message), std::move(hint)});
  }

  void take_table(const std::string& name, const std::string& prefix, const toml::table& table) {
    for (const auto& [key_part, node] : table) {
      const std::string key = prefix + std::string(key_part.str());
      const std::string where = at_line(name, node.source());
      if (const Setting* setting = find_setting(key); setting != nullptr) {
        take_node(*setting, where, node, values_);
      } else if (const SettingGroup* group = find_group(key); group != nullptr) {
        take_entries(*group, name, where, node);
      } else if (const toml::table* inner = node.as_table();
                 inner != nullptr && prefix.empty() && is_section(key)) {
        take_table(name, key + ".", *inner);
      } else {
        problem(where, "The key \"" + key + "\" is not a setting.", hint_for(nearest_setting(key)));
      }
    }
  }

  static bool is_section(const std::string& name) {
    const auto table = setting_table();
    return std::any_of(table.begin(), table.end(), [&name](const Setting& setting) {
      return setting.key.starts_with(name + ".");
    });
  }

  static const SettingGroup* find_group(std::string_view key) {
    for (const SettingGroup& group : setting_groups()) {
      if (group.key == key) return &group;
    }
    return nullptr;
  }

  // The tables of a group, each with its own values.
  void take_entries(const SettingGroup& group, const std::string& name, const std::string& where,
                    const toml::node& node) {
    const toml::array* tables = node.as_array();
    if (tables == nullptr || !tables->is_homogeneous<toml::table>() ||
        tables->size() > kMaxEntries) {
      problem(where,
              "\"" + std::string(group.key) + "\" must be an array of at most " +
                  std::to_string(kMaxEntries) + " tables.",
              "Write [[" + std::string(group.key) + "]] above each.");
      return;
    }
    for (const toml::node& table : *tables) {
      EffectiveEntry entry{&group, at_line(name, table.source()), {}};
      for (const Setting& field : group.fields) {
        auto value = parse_setting(field, field.fallback);
        entry.values.push_back({&field, value.value_or(SettingValue(std::string())), "default"});
      }
      for (const auto& [part, inner] : *table.as_table()) {
        take_field(entry, std::string(part.str()), at_line(name, inner.source()), inner);
      }
      entries_.push_back(std::move(entry));
    }
  }

  void take_field(EffectiveEntry& entry, const std::string& part, const std::string& where,
                  const toml::node& node) {
    const std::string key = std::string(entry.group->key) + "." + part;
    std::string known;
    for (const Setting& field : entry.group->fields) {
      if (field.key == key) return take_node(field, where, node, entry.values);
      known +=
          (known.empty() ? "" : ", ") + std::string(field.key.substr(field.key.rfind('.') + 1));
    }
    problem(where, "The key \"" + key + "\" is not a setting.", "Its settings are: " + known + ".");
  }

  void take_node(const Setting& setting, const std::string& where, const toml::node& node,
                 std::vector<EffectiveSetting>& values) {
    if (const auto text = written_form(setting, node)) {
      set(setting, where, *text, values);
    } else {
      problem(where,
              "\"" + std::string(setting.key) + "\" must be " + allowed_values(setting) + ".", "");
    }
  }

  // The value of a node as text, if its TOML type suits the setting.
  static std::optional<std::string> written_form(const Setting& setting, const toml::node& node) {
    const SettingType type = setting.type;
    if (const auto* list = node.as_array()) {
      if (type != SettingType::list && type != SettingType::names && type != SettingType::urls) {
        return std::nullopt;
      }
      std::string out;
      for (const toml::node& item : *list) {
        if (!item.is_string() || item.as_string()->get().find(',') != std::string::npos) {
          return std::nullopt;
        }
        out += (out.empty() ? "" : ",") + item.as_string()->get();
      }
      return out;
    }
    if (node.is_boolean()) {
      if (type != SettingType::boolean) return std::nullopt;
      return std::string(node.as_boolean()->get() ? "true" : "false");
    }
    if (node.is_integer()) {
      const bool number = type == SettingType::integer || type == SettingType::bytes ||
                          type == SettingType::duration || type == SettingType::decimal;
      if (!number) return std::nullopt;
      return std::to_string(node.as_integer()->get());
    }
    if (node.is_floating_point()) {
      if (type != SettingType::decimal) return std::nullopt;
      std::string out;
      core::JsonWriter(out).number(node.as_floating_point()->get());
      return out == "null" ? std::nullopt : std::optional(out);
    }
    if (!node.is_string() || type == SettingType::boolean || type == SettingType::integer) {
      return std::nullopt;
    }
    return node.as_string()->get();
  }

  void set(const Setting& setting, const std::string& where, std::string_view text) {
    set(setting, where, text, values_);
  }

  void set(const Setting& setting, const std::string& where, std::string_view text,
           std::vector<EffectiveSetting>& values) {
    auto value = parse_setting(setting, text);
    if (!value) {
      problem(where, "\"" + std::string(setting.key) + "\" " + value.error().message, "");
      return;
    }
    for (EffectiveSetting& row : values) {
      if (row.setting != &setting) continue;
      row.value = std::move(*value);
      row.origin = where;
      return;
    }
  }

  const std::string& origin_of(std::string_view key) const {
    for (const EffectiveSetting& row : values_) {
      if (row.setting->key == key) return row.origin;
    }
    return values_.front().origin;
  }

  // Refuses a token that can be guessed if other computers can reach the server, directly or
  // through the proxy of a public URL.
  void check_token(const Settings& settings) {
    if (!has_guessable_token(settings)) return;
    const std::string least = std::to_string(auth::kMinUnguessableBytes);
    if (reachable_by_others(settings)) {
      problem(
          origin_of("token"), "The token has fewer than " + least + " characters.",
          "Others can reach this server, and such a token can be guessed. Give a longer one, or "
          "none: `parley token create` makes one that cannot be guessed.");
    } else {
      warnings_.push_back({origin_of("token"),
                           "The token has fewer than " + least +
                               " characters: any program on this computer can guess it.",
                           "Give a longer one, or none."});
    }
  }

  // Rules over more than one setting.
  void check_together(const Settings& settings) {
    if (settings.tls_cert.empty() != settings.tls_key.empty()) {
      const bool has_cert = !settings.tls_cert.empty();
      problem(origin_of(has_cert ? "tls.cert" : "tls.key"),
              has_cert ? "tls.cert is set, but tls.key is not."
                       : "tls.key is set, but tls.cert is not.",
              "TLS needs both files.");
    }
    if (!settings.listen.is_loopback() && tls_mode(settings) == certificate::TlsMode::off &&
        !settings.allow_plain) {
      problem(origin_of("listen"),
              "The address " + settings.listen.to_string() +
                  " is reachable by others, and tokens would cross the network in the clear.",
              "Set tls.mode to \"auto\" (--tls auto), or give tls.cert and tls.key, or set "
              "allow_plain if the network is trusted or a proxy speaks TLS.");
    }
    check_token(settings);
    if (const auto fault = oauth_fault(settings)) {
      problem(origin_of(fault->field), fault->message,
              fault->field == "mcp.oauth"
                  ? "Set public_url to the https address of this server, or listen on loopback."
                  : "Give each client as \"ID REDIRECT_URI\".");
    }
    if (const std::string taken = access::route_in_the_way(settings.booking_prefix);
        !taken.empty()) {
      problem(origin_of("booking.prefix"),
              "booking.prefix is " + settings.booking_prefix + ", but " + taken +
                  " is already a path of the server.",
              "Choose a path of its own, for example /booking.");
    }
    if (settings.sessions.default_wait > settings.sessions.max_wait) {
      problem(origin_of("sessions.default_wait"),
              "sessions.default_wait is longer than sessions.max_wait.",
              "Raise sessions.max_wait.");
    }
  }

  void check_providers(const model::ModelSettings& models) {
    std::set<std::string> names;
    std::vector<const EffectiveEntry*> entries;  // those of providers, in the same order
    for (const EffectiveEntry& entry : entries_) {
      if (entry.group->key == "models.providers") entries.push_back(&entry);
    }
    for (std::size_t i = 0; i < models.providers.size(); ++i) {
      const model::ProviderSettings& provider = models.providers[i];
      const std::string& where = entries[i]->origin;
      if (!core::is_safe_id(provider.name) || provider.name == model::kDemonstrationProvider) {
        problem(where, "A provider must have a name of letters, digits, '.', '_' and '-'.",
                "The name \"offline\" is taken by the built-in demonstration.");
      } else if (!names.insert(provider.name).second) {
        problem(where, "There are two providers with the name \"" + provider.name + "\".", "");
      }
      if (provider.base_url.empty()) {
        problem(where, "A provider must have a base_url.",
                "For example base_url = \"http://127.0.0.1:11434/v1\".");
      }
      if (!model::media_from_names(provider.media)) {
        problem(where, "The media of a provider must be image, audio, video and file, or none.",
                "For example media = [\"image\"].");
      }
      if (!provider.api_key_env.empty() && !provider.api_key_file.empty()) {
        problem(where, "A provider must have api_key_env or api_key_file, not both.", "");
      }
    }
  }

  std::vector<EffectiveSetting> values_;
  std::vector<EffectiveEntry> entries_;
  std::map<std::string, std::string> environment_;
  std::vector<Problem> problems_;
  std::vector<Problem> warnings_;
};

// Stands for a secret.
std::string masked(const EffectiveSetting& row) {
  return std::get<std::string>(row.value).empty() ? "" : "********";
}

// A value in the form of a TOML file.
std::string toml_form(const EffectiveSetting& row) {
  if (row.setting->type == SettingType::secret) return "\"" + masked(row) + "\"";
  std::string out;
  if (const auto* list = std::get_if<std::vector<std::string>>(&row.value)) {
    core::JsonWriter json(out);
    json.begin_array();
    for (const std::string& item : *list) json.string(item);
    json.end_array();
    return out;
  }
  std::string text = format_setting(*row.setting, row.value);
  const SettingType type = row.setting->type;
  if (type == SettingType::boolean || type == SettingType::integer) return text;
  core::append_json_string(out, text);  // a JSON string is also a TOML basic string
  return out;
}

// Numbers and times are in their written form.
void write_setting(core::JsonWriter& json, const EffectiveSetting& row) {
  json.key("key").string(row.setting->key).key("value");
  if (row.setting->type == SettingType::secret) {
    json.string(masked(row));
  } else if (const bool* flag = std::get_if<bool>(&row.value)) {
    json.boolean(*flag);
  } else if (const auto* list = std::get_if<std::vector<std::string>>(&row.value)) {
    json.strings(*list);
  } else {
    json.string(format_setting(*row.setting, row.value));
  }
  json.key("origin").string(row.origin);
}

std::string environment_value(const char* name) {
  // Safe: no thread of this program changes the environment.
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? std::string() : std::string(value);
}

std::string user_directory(const char* variable, const char* below_home) {
  std::string named = environment_value(variable);
  if (named.starts_with('/')) return named;
  const std::string home = environment_value("HOME");
  return (home.empty() ? std::string("/tmp") : home) + "/" + below_home;
}

}  // namespace

std::string Problem::to_string() const {
  return where + ": " + message + (hint.empty() ? "" : " " + hint);
}

ConfigResult load_config(const ConfigSources& sources) {
  Loader loader;
  loader.take_defaults(sources.defaults);
  if (sources.file_text) loader.take_file(sources.file_name, *sources.file_text);
  loader.take_environment(sources.environment);
  loader.take_flags(sources.flags);
  return loader.finish();
}

std::string show_config(const Configuration& config) {
  std::string out;
  std::string section;
  for (const EffectiveSetting& row : config.values) {
    const std::size_t dot = row.setting->key.find('.');
    const bool inside = dot != std::string_view::npos;
    const std::string row_section(inside ? row.setting->key.substr(0, dot) : std::string_view());
    if (row_section != section) {
      out += "\n[" + row_section + "]\n";
      section = row_section;
    }
    out += std::string(inside ? row.setting->key.substr(dot + 1) : row.setting->key) + " = " +
           toml_form(row) + "  # " + row.origin + "\n";
  }
  for (const EffectiveEntry& entry : config.entries) {
    out += "\n[[" + std::string(entry.group->key) + "]]  # " + entry.origin + "\n";
    for (const EffectiveSetting& row : entry.values) {
      out += std::string(row.setting->key.substr(row.setting->key.rfind('.') + 1)) + " = " +
             toml_form(row) + "  # " + row.origin + "\n";
    }
  }
  return out;
}

std::string config_json(const Configuration& config) {
  return core::json_object([&](core::JsonWriter& json) {
           json.key("settings").objects(config.values, write_setting);
           json.key("groups").objects(
               config.entries, [](core::JsonWriter& out, const EffectiveEntry& entry) {
                 out.key("group").string(entry.group->key).key("origin").string(entry.origin);
                 out.key("settings").objects(entry.values, write_setting);
               });
         }) +
         "\n";
}

ConfigFile find_config_file(const std::string& from_flag) {
  if (!from_flag.empty()) return {from_flag, true};
  if (std::string named = environment_value("PARLEY_CONFIG"); !named.empty()) return {named, true};
  const std::string own = user_directory("XDG_CONFIG_HOME", ".config") + "/parley/parley.toml";
  if (::access(own.c_str(), F_OK) == 0) return {own, true};
  constexpr const char* kSystemFile = "/etc/parley/parley.toml";
  if (::access(kSystemFile, F_OK) == 0) return {kSystemFile, true};
  return {};
}

model::Environment process_environment() {
  return [](const std::string& name) { return environment_value(name.c_str()); };
}

core::Result<ConfigSources> gather_sources(const std::string& config_flag,
                                           std::vector<std::pair<std::string, std::string>> flags) {
  ConfigSources out;
  out.flags = std::move(flags);
  const ConfigFile file = find_config_file(config_flag);
  if (!file.path.empty()) {
    const std::ifstream in(file.path, std::ios::binary);
    if (!in) {
      return core::fail(core::Code::not_found,
                        "The configuration file " + file.path + " cannot be read.", "config");
    }
    std::ostringstream text;
    text << in.rdbuf();
    out.file_name = file.path;
    out.file_text = text.str();
  }
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view line(*variable);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    out.environment.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  return out;
}

std::string default_data_directory() {
  return user_directory("XDG_DATA_HOME", ".local/share") + "/parley";
}

std::string default_state_directory() {
  return user_directory("XDG_STATE_HOME", ".local/state") + "/parley";
}

}  // namespace parley::app
