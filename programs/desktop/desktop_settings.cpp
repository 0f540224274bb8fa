// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/desktop_settings.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "agents/mcp/settings.h"
#include "base/core/private_files.h"
#include "base/core/result.h"
#include "base/core/toml_dots.h"
#include "programs/desktop/console_address.h"

namespace parley::desktop {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kAttentions = {"none", "tray", "popup", "popup-on-top"};
constexpr std::array<std::string_view, 3> kLanguages = {"auto", "en", "zh"};
constexpr const char* kServerForm = "must be written as tables, each below a line [[server]]";
constexpr int kMinSide = 200;
constexpr int kMaxSide = 16'384;

template <std::size_t N>
std::string choices_text(const std::array<std::string_view, N>& names) {
  std::string out;
  for (std::size_t i = 0; i < N; ++i) {
    if (i > 0) out += i + 1 == N ? " or " : ", ";
    out.append("\"").append(names[i]).append("\"");
  }
  return out;
}

// Reads the keys of one table; the first fault is kept.
class KeyReader {
 public:
  KeyReader(const toml::table& table, const std::string& file) : table_(table), file_(file) {}

  void text(std::string_view key, std::string& into) {
    take(key, into, "must be a text in quotes");
  }
  void flag(std::string_view key, bool& into) { take(key, into, "must be true or false"); }
  void number(std::string_view key, int& into, int low, int high) {
    std::int64_t value = into;
    const std::string allowed =
        "must be a number from " + std::to_string(low) + " to " + std::to_string(high);
    take(key, value, allowed);
    if (value < low || value > high) return fail(key, allowed);
    into = static_cast<int>(value);
  }
  template <typename Enum, std::size_t N>
  void choice(std::string_view key, Enum& into, const std::array<std::string_view, N>& names) {
    std::string name(names[static_cast<std::size_t>(into)]);
    const std::string allowed = "must be " + choices_text(names);
    take(key, name, allowed);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return fail(key, allowed);
    into = static_cast<Enum>(found - names.begin());
  }
  void zoom(std::string_view key, double& into) {
    take(key, into, "must be a number such as 1.25");
    if (std::isnan(into) || into < kMinZoom || into > kMaxZoom) into = 1.0;
  }
  void fail(std::string_view key, const std::string& allowed) {
    if (fault_) return;
    const toml::node* const node = table_.get(key);
    const auto line = node == nullptr ? table_.source().begin.line : node->source().begin.line;
    fault_ =
        core::Error{core::Code::invalid_argument,
                    file_ + ":" + std::to_string(line) + ": " + std::string(key) + ": " + allowed,
                    std::string(key)};
  }
  const std::optional<core::Error>& fault() const { return fault_; }

 private:
  template <typename T>
  void take(std::string_view key, T& into, const std::string& allowed) {
    const toml::node* const node = table_.get(key);
    if (node == nullptr) return;
    if (const auto value = node->value_exact<T>()) {
      into = *value;
    } else {
      fail(key, allowed);
    }
  }

  const toml::table& table_;
  const std::string& file_;
  std::optional<core::Error> fault_;
};

core::Result<ServerEntry> read_server(const toml::table& table, const std::string& file) {
  KeyReader keys(table, file);
  ServerEntry entry;
  keys.text("id", entry.id);
  keys.text("alias", entry.alias);
  keys.text("url", entry.url);
  keys.text("token", entry.token);
  keys.flag("enabled", entry.enabled);
  const auto link = read_server_link(entry.url);
  if (!link) keys.fail("url", link.error().message);
  if (const std::string fault = fault_of_token(entry.token); !fault.empty()) {
    keys.fail("token", fault);
  }
  const bool plain =
      entry.id.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz-") == std::string::npos;
  if (entry.id.empty() || !plain) keys.fail("id", "must be of the characters a-z, 0-9 and -");
  if (keys.fault()) return core::fail(*keys.fault());
  entry.url = link->url;
  return entry;
}

core::Result<void> read_servers(const toml::table& table, const std::string& file,
                                DesktopSettings& settings) {
  const toml::node* const given = table.get("server");
  if (given == nullptr) return {};
  const toml::array* const servers = given->as_array();
  const bool tables =
      servers != nullptr && std::all_of(servers->begin(), servers->end(),
                                        [](const toml::node& each) { return each.is_table(); });
  // Not ignored: the entries would be lost, with their tokens, when the program writes the file.
  if (!tables) {
    KeyReader keys(table, file);
    keys.fail("server", kServerForm);
    return core::fail(*keys.fault());
  }
  std::set<std::string> ids;
  for (const toml::node& node : *servers) {
    PARLEY_TRY(ServerEntry entry, read_server(*node.as_table(), file));
    if (!ids.insert(entry.id).second || ids.size() > kMaxServers) {
      return core::fail(core::Code::invalid_argument,
                        file + ":" + std::to_string(node.source().begin.line) +
                            ": server: at most " + std::to_string(kMaxServers) +
                            " servers, each with an id of its own",
                        "server");
    }
    settings.servers.push_back(std::move(entry));
  }
  return {};
}

}  // namespace

std::string_view attention_name(Attention attention) {
  return kAttentions.at(static_cast<std::size_t>(attention));
}

std::string fault_of_token(std::string_view token) {
  const bool printable = std::all_of(token.begin(), token.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) != 0x7f;
  });
  if (!token.empty() && printable) return {};
  return "must not be empty, and must not have spaces or control characters";
}

core::Result<DesktopSettings> parse_desktop_settings(std::string_view text,
                                                     const std::string& file) {
  if (core::count_toml_dots(text) > core::kMaxTomlDots) {
    return core::fail(core::Code::invalid_argument, file + ": the tables are nested too deeply");
  }
  toml::table table;
  try {
    table = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    return core::fail(core::Code::invalid_argument, file + ":" +
                                                        std::to_string(error.source().begin.line) +
                                                        ": " + std::string(error.description()));
  }
  DesktopSettings settings;
  KeyReader keys(table, file);
  keys.choice("language", settings.language, kLanguages);
  keys.choice("on_question", settings.on_question, kAttentions);
  keys.choice("on_report", settings.on_report, kAttentions);
  keys.flag("close_to_tray", settings.close_to_tray);
  keys.flag("autostart", settings.autostart);
  keys.text("nickname", settings.nickname);
  keys.flag("typing", settings.typing);
  keys.text("typing_window", settings.typing_window);
  keys.number("width", settings.width, kMinSide, kMaxSide);
  keys.number("height", settings.height, kMinSide, kMaxSide);
  keys.flag("maximized", settings.maximized);
  keys.zoom("zoom", settings.zoom);
  if (keys.fault()) return core::fail(*keys.fault());
  PARLEY_TRY_VOID(read_servers(table, file, settings));
  return settings;
}

std::string write_desktop_settings(const DesktopSettings& settings) {
  toml::array servers;
  for (const ServerEntry& entry : settings.servers) {
    servers.push_back(toml::table{{"id", entry.id},
                                  {"alias", entry.alias},
                                  {"url", entry.url},
                                  {"token", entry.token},
                                  {"enabled", entry.enabled}});
  }
  toml::table table{
      {"language", kLanguages.at(static_cast<std::size_t>(settings.language))},
      {"on_question", attention_name(settings.on_question)},
      {"on_report", attention_name(settings.on_report)},
      {"close_to_tray", settings.close_to_tray},
      {"autostart", settings.autostart},
      {"nickname", settings.nickname},
      {"typing", settings.typing},
      {"typing_window", settings.typing_window},
      {"width", settings.width},
      {"height", settings.height},
      {"maximized", settings.maximized},
      {"zoom", settings.zoom},
  };
  if (!servers.empty()) table.insert("server", std::move(servers));
  std::ostringstream out;
  out << "# Settings of parley-desktop, which writes this file. Contains tokens: keep it private.\n"
      << table << '\n';
  return out.str();
}

std::string desktop_settings_file() {
  const fs::path home = mcp::UserPlaces::of_this_process().config_home;
  return home.empty() ? std::string() : (home / "parley" / "desktop.toml").string();
}

core::Result<DesktopSettings> load_desktop_settings(const std::string& file) {
  std::error_code ignored;
  if (file.empty() || !fs::exists(file, ignored)) return DesktopSettings();
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return core::fail(core::Code::permission_denied, file + ": cannot be read");
  return parse_desktop_settings(text.str(), file);
}

core::Result<void> save_desktop_settings(const DesktopSettings& settings, const std::string& file) {
  if (file.empty()) {
    return core::fail(core::Code::failed_precondition, "There is no home folder for the settings.");
  }
  PARLEY_TRY_VOID(core::make_private_folder(fs::path(file).parent_path().string()));
  return core::write_private_file(file, write_desktop_settings(settings));
}

}  // namespace parley::desktop
