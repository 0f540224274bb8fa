// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace parley::desktop {

// Reaction of the program to a new question or report.
enum class Attention : std::uint8_t { none, tray, popup, popup_on_top };
enum class LanguageChoice : std::uint8_t { automatic, english, chinese };

struct ServerEntry {
  std::string id;  // unique; name of the folder of the console's own data
  std::string alias;
  std::string url;  // in the form of read_server_link()
  std::string token;
  bool enabled = true;

  bool operator==(const ServerEntry&) const = default;
};

struct DesktopSettings {
  std::vector<ServerEntry> servers;
  LanguageChoice language = LanguageChoice::automatic;
  Attention on_question = Attention::popup_on_top;
  Attention on_report = Attention::popup_on_top;
  bool close_to_tray = true;
  bool autostart = false;
  std::string nickname;       // name of this computer for others; empty: its host name
  bool typing = false;        // chat messages to this computer are typed
  std::string typing_window;  // title of the window to type into; empty: the focused window
  int width = 1200;
  int height = 800;
  bool maximized = false;
  double zoom = 1.0;

  bool operator==(const DesktopSettings&) const = default;
};

// The name in the file: "none", "tray", "popup" or "popup-on-top".
std::string_view attention_name(Attention attention);

// Reads desktop.toml. Errors: `invalid_argument`; the message begins "file:line: " and names the
// key and the allowed values, never a token.
core::Result<DesktopSettings> parse_desktop_settings(std::string_view toml,
                                                     const std::string& file);
std::string write_desktop_settings(const DesktopSettings& settings);

// $XDG_CONFIG_HOME/parley/desktop.toml, else ~/.config/parley/desktop.toml.
std::string desktop_settings_file();

// The settings of a file; the defaults if there is none. Errors: as parse_desktop_settings(), and
// those of reading.
core::Result<DesktopSettings> load_desktop_settings(const std::string& file);
// Replaces the file, which only its owner can read. Errors: as core::write_private_file().
core::Result<void> save_desktop_settings(const DesktopSettings& settings, const std::string& file);

// The reason why an entry cannot be used, for a person; empty: none. Never repeats the token.
std::string fault_of_token(std::string_view token);

inline constexpr std::size_t kMaxServers = 32;
inline constexpr double kMinZoom = 0.3;
inline constexpr double kMaxZoom = 3.0;

}  // namespace parley::desktop
