// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "server/settings.h"

#include <algorithm>
#include <numeric>

#include "server/settings_rows.h"

namespace parley::app {
namespace {

using Type = SettingType;

std::vector<Setting> general_settings() {
  return {
      {"listen",
       Type::endpoint,
       "127.0.0.1:22080",
       0,
       0,
       {},
       "Where the server listens. Port 0 picks a free one. Without a host: loopback.",
       [](Settings& s, const SettingValue& v) {
         s.listen = net::Endpoint::parse(text_of(v)).value_or(net::Endpoint{});
       }},
      {"data",
       Type::path,
       "",
       0,
       0,
       {},
       "The data directory. Empty: $XDG_DATA_HOME/parley, else ~/.local/share/parley.",
       [](Settings& s, const SettingValue& v) { s.data = text_of(v); }},
      {"token",
       Type::secret,
       "",
       0,
       0,
       {},
       "A token that is valid for this run of the server, beside those of the data directory.",
       [](Settings& s, const SettingValue& v) { s.token = text_of(v); }},
      {"public_url",
       Type::origin,
       "",
       0,
       0,
       {},
       "The origin under which people reach the server, if a proxy stands before it. Pages of this "
       "origin are let in, and links show it.",
       [](Settings& s, const SettingValue& v) { s.public_url = text_of(v); }},
      {"allowed_origins",
       Type::list,
       "",
       0,
       0,
       {},
       "Origins of other pages that may open WebSockets and read answers. * lets every page in.",
       [](Settings& s, const SettingValue& v) {
         s.server.allowed_origins = std::get<std::vector<std::string>>(v);
       }},
      {"allow_plain",
       Type::boolean,
       "false",
       0,
       0,
       {},
       "Listen on more than loopback without TLS. Tokens then cross the network in the clear: only "
       "for a trusted network or behind a proxy that speaks TLS.",
       [](Settings& s, const SettingValue& v) { s.allow_plain = std::get<bool>(v); }},
  };
}

std::vector<Setting> service_settings() {
  return {
      {"front_end",
       Type::path,
       "",
       0,
       0,
       {},
       "A folder with the built files of another front end of the chat, served at / in place of "
       "the "
       "console, which then is at /console/. Read at the start.",
       [](Settings& s, const SettingValue& v) { s.front_end = text_of(v); }},
      {"comfyui",
       Type::urls,
       "",
       0,
       0,
       {},
       "ComfyUI servers for the chats of all users. A chat that names none uses the first. Others "
       "are registered by a token with the right admin.",
       [](Settings& s, const SettingValue& v) {
         s.comfyui = std::get<std::vector<std::string>>(v);
       }},
      {"shards",
       Type::integer,
       "0",
       0,
       256,
       {},
       "Threads that serve connections. 0: one for each core.",
       [](Settings& s, const SettingValue& v) { s.shards = size_of(v); }},
  };
}

std::vector<Setting> tls_and_log_settings() {
  return {
      {"tls.cert",
       Type::path,
       "",
       0,
       0,
       {},
       "PEM file with the certificate chain. With tls.key: the server speaks TLS only. Both are "
       "read again on SIGHUP.",
       [](Settings& s, const SettingValue& v) { s.tls_cert = text_of(v); }},
      {"tls.key",
       Type::path,
       "",
       0,
       0,
       {},
       "PEM file with the private key.",
       [](Settings& s, const SettingValue& v) { s.tls_key = text_of(v); }},
      {"log.level",
       Type::choice,
       "info",
       0,
       0,
       {"trace", "debug", "info", "warn", "error", "off"},
       "The least that is logged, to stderr.",
       [](Settings& s, const SettingValue& v) { s.log_level = text_of(v); }},
      {"log.format",
       Type::choice,
       "text",
       0,
       0,
       {"text", "json"},
       "Lines for people, or one JSON object a line.",
       [](Settings& s, const SettingValue& v) { s.log_json = text_of(v) == "json"; }},
      {"log.requests",
       Type::boolean,
       "true",
       0,
       0,
       {},
       "Log a line for each HTTP request.",
       [](Settings& s, const SettingValue& v) { s.server.log_requests = std::get<bool>(v); }},
  };
}

std::vector<Setting> size_limits() {
  return {
      {"limits.header_bytes",
       Type::bytes,
       "16KiB",
       kKiB,
       kMiB,
       {},
       "The largest head of a request; more is answered 431.",
       [](Settings& s, const SettingValue& v) { s.server.max_header_bytes = size_of(v); }},
      {"limits.target_bytes",
       Type::bytes,
       "8KiB",
       256,
       kMiB,
       {},
       "The longest request target; more is answered 414.",
       [](Settings& s, const SettingValue& v) { s.server.max_target_bytes = size_of(v); }},
      {"limits.body_bytes",
       Type::bytes,
       "64MiB",
       kKiB,
       kGiB,
       {},
       "The largest body of a request; more is answered 413.",
       [](Settings& s, const SettingValue& v) { s.server.max_body_bytes = size_of(v); }},
      {"limits.message_bytes",
       Type::bytes,
       "16MiB",
       kKiB,
       kGiB,
       {},
       "The largest WebSocket message; more closes the connection with 1009.",
       [](Settings& s, const SettingValue& v) { s.max_message_bytes = size_of(v); }},
      {"limits.pipelined",
       Type::integer,
       "16",
       1,
       1024,
       {},
       "Requests read ahead on one connection.",
       [](Settings& s, const SettingValue& v) { s.server.max_pipelined = size_of(v); }},
  };
}

std::vector<Setting> assembly_limits() {
  return {
      {"limits.open_body_bytes",
       Type::bytes,
       "64KiB",
       kKiB,
       kGiB,
       {},
       "The largest body of a request whose sender is not known; more is answered 413.",
       [](Settings& s, const SettingValue& v) { s.server.max_open_body_bytes = size_of(v); }},
      {"limits.unfinished_bytes",
       Type::bytes,
       "256MiB",
       kMiB,
       64 * kGiB,
       {},
       "Held of requests and WebSocket messages that are not complete, over all connections; more "
       "is answered 503, or closed with 1013.",
       [](Settings& s, const SettingValue& v) { s.server.max_assembling_bytes = size_of(v); }},
      {"limits.unfinished_bytes_per_token",
       Type::bytes,
       "128MiB",
       kMiB,
       64 * kGiB,
       {},
       "The part of that which the connections of one token may hold.",
       [](Settings& s, const SettingValue& v) {
         s.server.max_assembling_bytes_per_account = size_of(v);
       }},
      {"limits.unfinished_bytes_unknown",
       Type::bytes,
       "64MiB",
       kMiB,
       64 * kGiB,
       {},
       "The part of that which all connections whose sender is not known may hold together; those "
       "from one address may hold a quarter of it.",
       [](Settings& s, const SettingValue& v) {
         s.server.max_assembling_bytes_unknown = size_of(v);
       }},
  };
}

std::vector<Setting> connection_limits() {
  return {
      {"limits.connections",
       Type::integer,
       "20000",
       1,
       1'000'000,
       {},
       "Open connections; more are answered 503 and closed.",
       [](Settings& s, const SettingValue& v) { s.server.max_connections = size_of(v); }},
      {"limits.queue_bytes",
       Type::bytes,
       "8MiB",
       kKiB,
       kGiB,
       {},
       "What may wait for one slow consumer. More ends its connection; it can resume.",
       [](Settings& s, const SettingValue& v) { s.server.max_queue_bytes = size_of(v); }},
      {"limits.queue_messages",
       Type::integer,
       "4096",
       1,
       1'000'000,
       {},
       "Messages that may wait for one slow WebSocket.",
       [](Settings& s, const SettingValue& v) { s.server.max_queue_messages = size_of(v); }},
      {"limits.compression",
       Type::boolean,
       "true",
       0,
       0,
       {},
       "Offer permessage-deflate to WebSockets.",
       [](Settings& s, const SettingValue& v) { s.compression = std::get<bool>(v); }},
  };
}

std::vector<Setting> time_limits() {
  return {
      {"timeouts.header",
       Type::duration,
       "10s",
       kSecond,
       kHour,
       {},
       "From the first byte of a request's head to its last.",
       [](Settings& s, const SettingValue& v) { s.server.header_timeout = time_of(v); }},
      {"timeouts.body",
       Type::duration,
       "1m",
       kSecond,
       kHour,
       {},
       "The longest pause inside a request's body.",
       [](Settings& s, const SettingValue& v) { s.server.body_timeout = time_of(v); }},
      {"timeouts.idle",
       Type::duration,
       "75s",
       kSecond,
       kDay,
       {},
       "How long a connection is kept between requests.",
       [](Settings& s, const SettingValue& v) { s.server.idle_timeout = time_of(v); }},
      {"timeouts.login",
       Type::duration,
       "30s",
       kSecond,
       kHour,
       {},
       "A WebSocket that has not logged in by then is closed.",
       [](Settings& s, const SettingValue& v) { s.login_timeout = time_of(v); }},
      {"timeouts.ping",
       Type::duration,
       "25s",
       kSecond,
       kHour,
       {},
       "How often a quiet WebSocket is pinged.",
       [](Settings& s, const SettingValue& v) { s.server.ping_interval = time_of(v); }},
      {"timeouts.pong",
       Type::duration,
       "1m",
       kSecond,
       kHour,
       {},
       "A WebSocket that sends nothing at all for this long is gone.",
       [](Settings& s, const SettingValue& v) { s.server.pong_timeout = time_of(v); }},
      {"timeouts.close",
       Type::duration,
       "5s",
       100,
       60 * kSecond,
       {},
       "How long the server waits for the peer's close frame.",
       [](Settings& s, const SettingValue& v) { s.server.close_timeout = time_of(v); }},
  };
}

std::vector<Setting> model_settings() {
  return {
      {"sessions.pending",
       Type::integer,
       "1000",
       1,
       1'000'000,
       {},
       "Open interactions of one session; more are refused.",
       [](Settings& s, const SettingValue& v) { s.sessions.max_pending = size_of(v); }},
      {"sessions.pending_bytes",
       Type::bytes,
       "64MiB",
       kKiB,
       64 * kGiB,
       {},
       "What the questions of the open interactions of one session may hold together; more are "
       "refused, but the first.",
       [](Settings& s, const SettingValue& v) { s.sessions.max_pending_bytes = size_of(v); }},
      {"sessions.participants",
       Type::integer,
       "20000",
       1,
       1'000'000,
       {},
       "Participants of one session.",
       [](Settings& s, const SettingValue& v) { s.sessions.max_participants = size_of(v); }},
      {"sessions.waiters",
       Type::integer,
       "64",
       1,
       10'000,
       {},
       "Callers that wait for one interaction.",
       [](Settings& s, const SettingValue& v) { s.sessions.max_waiters = size_of(v); }},
      {"sessions.default_wait",
       Type::duration,
       "10m",
       kSecond,
       kDay,
       {},
       "How long an interaction waits if its asker names no time.",
       [](Settings& s, const SettingValue& v) { s.sessions.default_wait = time_of(v); }},
      {"sessions.max_wait",
       Type::duration,
       "24h",
       kSecond,
       30 * kDay,
       {},
       "The longest wait, whatever the asker names.",
       [](Settings& s, const SettingValue& v) { s.sessions.max_wait = time_of(v); }},
      {"sessions.caller_grace",
       Type::duration,
       "2s",
       0,
       kHour,
       {},
       "An interaction whose last caller is gone is cancelled after this time.",
       [](Settings& s, const SettingValue& v) { s.sessions.caller_grace = time_of(v); }},
  };
}

std::vector<Setting> store_settings() {
  return {
      {"store.batch_units",
       Type::integer,
       "1024",
       1,
       100'000,
       {},
       "Units that are committed together at most.",
       [](Settings& s, const SettingValue& v) { s.group.max_units = size_of(v); }},
      {"store.batch_bytes",
       Type::bytes,
       "16MiB",
       kKiB,
       kGiB,
       {},
       "Bytes that are committed together; one larger unit is a group of its own.",
       [](Settings& s, const SettingValue& v) { s.group.max_bytes = size_of(v); }},
      {"store.queue_bytes",
       Type::bytes,
       "128MiB",
       kMiB,
       64 * kGiB,
       {},
       "What may wait for its commit; more is refused.",
       [](Settings& s, const SettingValue& v) { s.group.max_queue = size_of(v); }},
      {"store.min_free",
       Type::bytes,
       "256MiB",
       0,
       1'024 * kGiB,
       {},
       "While the disk of the data directory has less room, no new questions, runs, studies and "
       "bookings are taken, and /readyz says so. 0: until it is full.",
       [](Settings& s, const SettingValue& v) { s.min_free_bytes = size_of(v); }},
      {"store.max_data",
       Type::bytes,
       "100GiB",
       0,
       1'024 * kGiB,
       {},
       "The same while the data directory is larger. 0: however large.",
       [](Settings& s, const SettingValue& v) { s.max_data_bytes = size_of(v); }},
  };
}

std::vector<Setting> retention_settings() {
  return {
      {"retention.max_age",
       Type::duration,
       "0",
       0,
       36'500 * kDay,
       {},
       "Events older than this are deleted. 0: kept for ever.",
       [](Settings& s, const SettingValue& v) {
         s.retention.max_age = number_of(v) > 0 ? std::optional(time_of(v)) : std::nullopt;
       }},
      {"retention.max_events",
       Type::integer,
       "0",
       0,
       1'000'000'000'000,
       {},
       "Events kept of one session, the newest. 0: all.",
       [](Settings& s, const SettingValue& v) {
         s.retention.max_events_per_session = static_cast<std::uint64_t>(number_of(v));
       }},
      {"retention.interval",
       Type::duration,
       "1m",
       kSecond,
       kDay,
       {},
       "Between two looks for events that are to be deleted.",
       [](Settings& s, const SettingValue& v) { s.retention.interval = time_of(v); }},
  };
}

std::vector<Setting> make_table() {
  std::vector<Setting> out;
  for (auto& part :
       {general_settings(), service_settings(), tls_and_log_settings(), size_limits(),
        assembly_limits(), connection_limits(), time_limits(), model_settings(), store_settings(),
        retention_settings(), study_settings(), provider_settings(), run_settings()}) {
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

// The edit distance of Levenshtein.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replace});
    }
  }
  return row.back();
}

std::string spelled(std::string_view prefix, std::string_view key, char separator, bool upper) {
  std::string out(prefix);
  for (const char c : key) {
    const bool joint = c == '.' || c == '_';
    const bool letter = c >= 'a' && c <= 'z';
    out.push_back(joint ? separator : (upper && letter ? static_cast<char>(c - 'a' + 'A') : c));
  }
  return out;
}

}  // namespace

std::span<const Setting> setting_table() {
  static const std::vector<Setting> kTable = make_table();
  return kTable;
}

std::span<const SettingGroup> setting_groups() {
  static const std::vector<SettingGroup> kGroups = {provider_group()};
  return kGroups;
}

const Setting* find_setting(std::string_view key) {
  for (const Setting& setting : setting_table()) {
    if (setting.key == key) return &setting;
  }
  return nullptr;
}

std::string_view nearest_setting(std::string_view key) {
  constexpr std::size_t kLongestKey = 64;
  if (key.empty() || key.size() > kLongestKey) return {};
  std::string_view best;
  std::size_t best_distance = 4;  // three wrong letters still resemble
  for (const Setting& setting : setting_table()) {
    const std::size_t dot = setting.key.rfind('.');
    const bool same_leaf = dot != std::string_view::npos && setting.key.substr(dot + 1) == key;
    const std::size_t d = same_leaf ? 1 : distance(key, setting.key);
    if (d < best_distance && d < key.size()) {
      best = setting.key;
      best_distance = d;
    }
  }
  return best;
}

std::string environment_name(std::string_view key) { return spelled("PARLEY_", key, '_', true); }

std::string flag_name(std::string_view key) { return spelled("--", key, '-', false); }

}  // namespace parley::app
