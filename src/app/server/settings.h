// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/net/loop/stream.h"
#include "base/net/server/server.h"
#include "base/sql/store_place.h"
#include "dialects/external_agent/relay_options.h"
#include "model/event/commit_queue.h"
#include "model/event/retention.h"
#include "model/session/session.h"
#include "runtime/model/providers.h"
#include "runtime/run/local_run_service.h"
#include "runtime/tool/file/stored_results.h"
#include "services/notify/channels.h"

namespace parley::app {

// All settings, in the types of the program. Filled only from setting_table(), against which a test
// checks docs/configuration.md.
struct Settings {
  net::Endpoint listen;
  std::string data;       // directory
  std::string store_url;  // of a PostgreSQL database; empty: files of the directory
  bool store_pooled = false;
  std::string cluster_node;  // name of this node; empty: the server is alone
  std::string cluster_name;
  net::Endpoint cluster_listen;
  std::string cluster_link;  // HOST:PORT; empty: cluster_listen
  std::string token;
  std::string public_url;
  bool tailscale = false;
  std::string front_end;  // folder; empty: the console is served at "/"
  bool allow_plain = false;
  std::size_t shards = 0;  // 0: one per core
  std::vector<std::string> project_folders;
  std::string tls_mode;  // "off", "auto"; see tls_mode() in tls_assembly.h
  std::string tls_cert;
  std::string tls_key;
  std::string log_level;
  bool log_json = false;
  bool compression = true;
  std::size_t max_message_bytes = 0;
  net::ServerOptions server;
  session::SessionLimits sessions;
  event::GroupLimits group;
  event::Retention retention;
  core::Millis login_timeout{0};
  std::string external_agent_token;  // "auto", "yes", "no"
  external_agent::RelayOptions external_agent;
  std::string study_log;  // "file", "events", "off"
  std::string study_kit;  // file
  core::Millis study_abandon_after{0};
  std::uint64_t study_records = 0;
  std::uint64_t study_bytes = 0;
  std::uint64_t min_free_bytes = 0;  // least free space on the disk
  std::uint64_t max_data_bytes = 0;  // limit of the data directory
  model::ModelSettings models;
  std::string booking_prefix;
  std::uint32_t booking_seed = 0;
  std::size_t booking_days = 0;
  run::RunOptions runs;  // without its folders
  std::string run_folder;
  std::vector<std::string> comfyui;  // base URLs
  std::string mcp_config;            // file
  bool folder_mcp = false;
  std::string mcp_ask;  // "auto", "held", "elicit"
  core::Millis mcp_slice{0};
  bool mcp_oauth = false;
  std::vector<std::string> mcp_oauth_clients;  // "ID REDIRECT_URI..."
  bool mcp_oauth_registration = false;
  bool fetch_private = false;
  std::vector<std::string> child_environment;
  tool::ResultLimits result_limits;
  notify::NotifySettings notify;

  // Where the stores are.
  sql::StorePlace stores() const {
    sql::StorePlace place(data);
    place.url = store_url;
    place.pooled = store_pooled;
    return place;
  }
};

// True if other computers can reach the server: directly, over a tailnet, or through the proxy that
// a public URL implies.
bool reachable_by_others(const Settings& settings);

// True if the server has a token of its own that can be guessed.
bool has_guessable_token(const Settings& settings);

enum class SettingType : std::uint8_t {
  text,
  secret,    // text that is never printed
  path,      // a leading "~/" is the home directory
  endpoint,  // "127.0.0.1:22080"
  origin,    // "https://example.org", no path
  boolean,
  integer,
  bytes,     // 65536, "64KiB", "16MiB"
  duration,  // "250ms", "30s", "10m", "24h", "30d"; a bare number is seconds
  list,      // origins; separated by commas in the environment and on the command line
  choice,
  url,      // "https://example.org/v1"
  names,    // a list of words
  urls,     // a list of http and https URLs
  decimal,  // "0.7"; may be empty
};

std::string_view setting_type_name(SettingType type);

// boolean: bool; integer, bytes, duration (in milliseconds): std::int64_t; list, names, urls: a
// vector; all other types: text.
using SettingValue = std::variant<std::string, bool, std::int64_t, std::vector<std::string>>;

// One row of the table. environment_name() and flag_name() derive the other names from the key.
struct Setting {
  std::string_view key;  // "log.level": key `level` in table `[log]` of parley.toml
  SettingType type;
  std::string_view fallback;  // in written form
  std::int64_t min;           // range of integer, bytes, duration and decimal
  std::int64_t max;
  std::span<const std::string_view> choices;
  std::string_view help;
  void (*store)(Settings&, const SettingValue&);
};

// All settings, in the order of the documents.
std::span<const Setting> setting_table();
const Setting* find_setting(std::string_view key);
// The most similar key; empty if none is similar.
std::string_view nearest_setting(std::string_view key);

// A key that ends in ".mode" is named after its table: "tls.mode" is --tls.
std::string environment_name(std::string_view key);  // "PARLEY_LOG_LEVEL"
std::string flag_name(std::string_view key);         // "--log-level"

// A table that may be repeated in the file: [[models.providers]]. It has neither environment
// variables nor flags. Its fields are rows whose keys begin with the group's key; they store into
// the element that `begin` adds.
struct SettingGroup {
  std::string_view key;
  std::span<const Setting> fields;
  void (*begin)(Settings&);
};
std::span<const SettingGroup> setting_groups();

// Reads the written form. Errors: `invalid_argument`; the message states the allowed values and
// never repeats a secret.
core::Result<SettingValue> parse_setting(const Setting& setting, std::string_view text);
// Values that parse_setting() accepts, for a person: "a duration from 1s to 24h".
std::string allowed_values(const Setting& setting);
// The shortest written form: "16MiB", "10s".
std::string format_setting(const Setting& setting, const SettingValue& value);

}  // namespace parley::app
