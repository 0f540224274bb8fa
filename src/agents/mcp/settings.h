// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/mcp/assistant_client.h"
#include "base/core/result.h"

namespace parley::mcp {

inline constexpr std::string_view kSettingsFile = "agentassistant-mcp.toml";
inline constexpr std::string_view kDefaultHost = "127.0.0.1";
inline constexpr int kDefaultPort = 22080;
// A port that counts as not given, in the file and on the command line.
inline constexpr int kNoPort = 0;
// The token in the protocol's example, for servers that are configured from it.
inline constexpr std::string_view kDefaultToken = "test-token";

// Settings of the server from a command line or a file. An absent member was not given.
struct ServerSettings {
  std::optional<std::string> host;
  std::optional<int> port;
  std::optional<std::string> token;
  std::optional<bool> tls;
  std::optional<std::string> base_url;  // takes precedence over host, port and tls
  std::optional<std::string> ca_file;   // PEM
  std::optional<std::string> proxy;     // a URL; absent: none, whatever the environment says
};

// The folders of this user. Programs take them from the environment, tests from a temporary
// directory.
struct UserPlaces {
  std::filesystem::path working_directory;  // empty: its file is not read
  std::filesystem::path config_home;        // $XDG_CONFIG_HOME or ~/.config; empty: none
  // Parley's data: $PARLEY_DATA, $XDG_DATA_HOME/parley or ~/.local/share/parley.
  std::filesystem::path data;

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
// _ca_file, _proxy. An error's message begins "file:line: " and names the key and the allowed
// values.
core::Result<Settings> parse_settings(std::string_view toml, const std::string& file);

// Loads the first existing file of ./agentassistant-mcp.toml,
// CONFIG/agentassistant/agentassistant-mcp.toml and CONFIG/parley/agentassistant-mcp.toml, or
// `file` if it is not empty (it must exist then). Members in `flags` take precedence over those of
// the file. An error about a flag begins with its name ("--url: ").
core::Result<Settings> load_settings(ServerSettings flags, const UserPlaces& places,
                                     const std::string& file = {});

// The running server of this user on this computer, read from DATA/endpoint.json.
struct RunningServer {
  ServerAccess access;  // the token is empty if the server knows the text of none
  std::int64_t pid = 0;
  std::string version;          // empty: of a server before 0.2
  std::int64_t started_at = 0;  // Unix milliseconds; 0: likewise
};
// std::nullopt unless that file belongs to this user, no other user can read it, the process that
// wrote it is alive and this user's, and a process holds the lock of the directory.
std::optional<RunningServer> running_server(const std::filesystem::path& data);
// Its address and token; std::nullopt also without a token.
std::optional<ServerAccess> discover_server(const std::filesystem::path& data);

// The address for a call. Each member comes from the settings, else from the running server (its
// token and the certificates to trust are used for its own URL only), else from the defaults.
ServerAccess resolve_endpoint(const ServerSettings& server, const std::string& file,
                              const UserPlaces& places);

// URL of the server's page for a browser. Contains the token, so treat it as a secret.
std::string page_url(const ServerAccess& endpoint);

}  // namespace parley::mcp
