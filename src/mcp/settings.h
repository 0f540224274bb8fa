// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "mcp/assistant_client.h"

namespace parley::mcp {

inline constexpr std::string_view kSettingsFile = "agentassistant-mcp.toml";
inline constexpr std::string_view kDefaultHost = "127.0.0.1";
inline constexpr int kDefaultPort = 22080;
// The token of the protocol's own example, for a server that was set up from it.
inline constexpr std::string_view kDefaultToken = "test-token";

// Settings of the server from a command line or a file. An absent member was not given.
struct ServerSettings {
  std::optional<std::string> host;
  std::optional<int> port;
  std::optional<std::string> token;
  std::optional<bool> tls;
  std::optional<std::string> base_url;  // wins over host, port and tls
  std::optional<std::string> ca_file;   // PEM
};

// The folders of this user: taken from the environment by main functions, from a directory by
// tests.
struct UserPlaces {
  std::filesystem::path working_directory;
  std::filesystem::path config_home;  // $XDG_CONFIG_HOME or ~/.config; empty: none
  std::filesystem::path
      data;  // parley's: $PARLEY_DATA, $XDG_DATA_HOME/parley, ~/.local/share/parley

  // From the environment of this process.
  static UserPlaces of_this_process();
};

// The effective settings, with messages for a person about their sources.
struct Settings {
  ServerSettings server;
  std::string file;                   // the settings file that was read; empty: none
  std::vector<std::string> warnings;  // for example an unknown key
};

// Parses settings in TOML: keys agentassistant_server_host, _port, _token, _tls, _base_url,
// _ca_file. An error's message begins "file:line: " and names the key and the allowed values.
core::Result<Settings> parse_settings(std::string_view toml, const std::string& file);

// Loads the first existing file of ./agentassistant-mcp.toml,
// CONFIG/agentassistant/agentassistant-mcp.toml and CONFIG/parley/agentassistant-mcp.toml, or
// `file` if it is not empty (it must exist then). Members that `flags` has win over those of the
// file.
core::Result<Settings> load_settings(const ServerSettings& flags, const UserPlaces& places,
                                     const std::string& file = {});

// A server of this user that runs on this computer: read from DATA/endpoint.json, if that is a file
// of this user that no other user can read and the process that wrote it is alive.
std::optional<ServerAccess> discover_server(const std::filesystem::path& data);

// The address for a call: from the settings; then, for members that they leave open, from the
// running server (its token is used for its own URL only); then from the defaults.
ServerAccess resolve_endpoint(const ServerSettings& server, const std::string& file,
                              const UserPlaces& places);

// URL of the server's page for a browser, with the token in the query: a secret.
std::string page_url(const ServerAccess& endpoint);

}  // namespace parley::mcp
