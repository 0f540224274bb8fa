// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "server/settings.h"

#include <algorithm>
#include <numeric>

#include "server/settings_rows.h"

namespace parley::app {
namespace {

using Type = SettingType;
using Server = net::ServerOptions;
using Sessions = session::SessionLimits;
using Group = event::GroupLimits;
using Retention = event::Retention;

constexpr std::string_view kLogLevels[] = {"trace", "debug", "info", "warn", "error", "off"};
constexpr std::string_view kLogFormats[] = {"text", "json"};

constexpr Setting kServerRows[] = {
    row<&Settings::listen>(
        "listen", {Type::endpoint, "127.0.0.1:22080"},
        "Where the server listens. Port 0 picks a free one. Without a host: loopback."),
    row<&Settings::data>(
        "data", {Type::path},
        "The data directory. Empty: $XDG_DATA_HOME/parley, else ~/.local/share/parley."),
    row<&Settings::token>(
        "token", {Type::secret},
        "A token that is valid for this run of the server, beside those of the data directory."),
    row<&Settings::public_url>("public_url", {Type::origin},
                               "The origin under which people reach the server, if a proxy stands "
                               "before it. Pages of this origin are let in, and links show it."),
    row<&Settings::server, &Server::allowed_origins>(
        "allowed_origins", {Type::list},
        "Origins of other pages that may open WebSockets and read answers. * lets every page in."),
    row<&Settings::allow_plain>(
        "allow_plain", {Type::boolean, "false"},
        "Listen on more than loopback without TLS. Tokens then cross the network in the clear: "
        "only for a trusted network or behind a proxy that speaks TLS."),
    row<&Settings::front_end>(
        "front_end", {Type::path},
        "A folder with the built files of another front end of the chat, served at / in place of "
        "the console, which then is at /console/. Read at the start."),
    row<&Settings::comfyui>(
        "comfyui", {Type::urls},
        "ComfyUI servers for the chats of all users. A chat that names none uses the first. Others "
        "are registered by a token with the right admin."),
    row<&Settings::shards>("shards", {Type::integer, "0", 0, 256},
                           "Threads that serve connections. 0: one for each core."),
    row<&Settings::tls_cert>("tls.cert", {Type::path},
                             "PEM file with the certificate chain. With tls.key: the server speaks "
                             "TLS only. Both are read again on SIGHUP."),
    row<&Settings::tls_key>("tls.key", {Type::path}, "PEM file with the private key."),
    row<&Settings::log_level>("log.level", {Type::choice, "info", 0, 0, kLogLevels},
                              "The least that is logged, to stderr."),
    row("log.format", {Type::choice, "text", 0, 0, kLogFormats},
        "Lines for people, or one JSON object a line.",
        [](Settings& s, const SettingValue& v) {
          s.log_json = std::get<std::string>(v) == "json";
        }),
    row<&Settings::server, &Server::log_requests>("log.requests", {Type::boolean, "true"},
                                                  "Log a line for each HTTP request."),
    row<&Settings::server, &Server::max_header_bytes>(
        "limits.header_bytes", {Type::bytes, "16KiB", kKiB, kMiB},
        "The largest head of a request; more is answered 431."),
    row<&Settings::server, &Server::max_target_bytes>(
        "limits.target_bytes", {Type::bytes, "8KiB", 256, kMiB},
        "The longest request target; more is answered 414."),
    row<&Settings::server, &Server::max_body_bytes>(
        "limits.body_bytes", {Type::bytes, "64MiB", kKiB, kGiB},
        "The largest body of a request; more is answered 413."),
    row<&Settings::max_message_bytes>(
        "limits.message_bytes", {Type::bytes, "16MiB", kKiB, kGiB},
        "The largest WebSocket message; more closes the connection with 1009."),
    row<&Settings::server, &Server::max_pipelined>("limits.pipelined",
                                                   {Type::integer, "16", 1, 1024},
                                                   "Requests read ahead on one connection."),
    row<&Settings::server, &Server::max_open_body_bytes>(
        "limits.open_body_bytes", {Type::bytes, "64KiB", kKiB, kGiB},
        "The largest body of a request whose sender is not known; more is answered 413."),
    row<&Settings::server, &Server::max_assembling_bytes>(
        "limits.unfinished_bytes", {Type::bytes, "256MiB", kMiB, 64 * kGiB},
        "Held of requests and WebSocket messages that are not complete, over all connections; more "
        "is answered 503, or closed with 1013."),
    row<&Settings::server, &Server::max_assembling_bytes_per_account>(
        "limits.unfinished_bytes_per_token", {Type::bytes, "128MiB", kMiB, 64 * kGiB},
        "The part of that which the connections of one token may hold."),
    row<&Settings::server, &Server::max_assembling_bytes_unknown>(
        "limits.unfinished_bytes_unknown", {Type::bytes, "64MiB", kMiB, 64 * kGiB},
        "The part of that which all connections whose sender is not known may hold together; those "
        "from one address may hold a quarter of it."),
    row<&Settings::server, &Server::max_connections>(
        "limits.connections", {Type::integer, "20000", 1, 1'000'000},
        "Open connections; more are answered 503 and closed."),
    row<&Settings::server, &Server::max_queue_bytes>(
        "limits.queue_bytes", {Type::bytes, "8MiB", kKiB, kGiB},
        "What may wait for one slow consumer. More ends its connection; it can resume."),
    row<&Settings::server, &Server::max_queue_messages>(
        "limits.queue_messages", {Type::integer, "4096", 1, 1'000'000},
        "Messages that may wait for one slow WebSocket."),
    row<&Settings::compression>("limits.compression", {Type::boolean, "true"},
                                "Offer permessage-deflate to WebSockets."),
    row<&Settings::server, &Server::header_timeout>(
        "timeouts.header", {Type::duration, "10s", kSecond, kHour},
        "From the first byte of a request's head to its last."),
    row<&Settings::server, &Server::body_timeout>("timeouts.body",
                                                  {Type::duration, "1m", kSecond, kHour},
                                                  "The longest pause inside a request's body."),
    row<&Settings::server, &Server::idle_timeout>(
        "timeouts.idle", {Type::duration, "75s", kSecond, kDay},
        "How long a connection is kept between requests."),
    row<&Settings::login_timeout>("timeouts.login", {Type::duration, "30s", kSecond, kHour},
                                  "A WebSocket that has not logged in by then is closed."),
    row<&Settings::server, &Server::ping_interval>("timeouts.ping",
                                                   {Type::duration, "25s", kSecond, kHour},
                                                   "How often a quiet WebSocket is pinged."),
    row<&Settings::server, &Server::pong_timeout>(
        "timeouts.pong", {Type::duration, "1m", kSecond, kHour},
        "A WebSocket that sends nothing at all for this long is gone."),
    row<&Settings::server, &Server::close_timeout>(
        "timeouts.close", {Type::duration, "5s", 100, 60 * kSecond},
        "How long the server waits for the peer's close frame."),
    row<&Settings::sessions, &Sessions::max_pending>(
        "sessions.pending", {Type::integer, "1000", 1, 1'000'000},
        "Open interactions of one session; more are refused."),
    row<&Settings::sessions, &Sessions::max_pending_bytes>(
        "sessions.pending_bytes", {Type::bytes, "64MiB", kKiB, 64 * kGiB},
        "What the questions of the open interactions of one session may hold together; more are "
        "refused, but the first."),
    row<&Settings::sessions, &Sessions::max_participants>("sessions.participants",
                                                          {Type::integer, "20000", 1, 1'000'000},
                                                          "Participants of one session."),
    row<&Settings::sessions, &Sessions::max_waiters>("sessions.waiters",
                                                     {Type::integer, "64", 1, 10'000},
                                                     "Callers that wait for one interaction."),
    row<&Settings::sessions, &Sessions::default_wait>(
        "sessions.default_wait", {Type::duration, "10m", kSecond, kDay},
        "How long an interaction waits if its asker names no time."),
    row<&Settings::sessions, &Sessions::max_wait>("sessions.max_wait",
                                                  {Type::duration, "24h", kSecond, 30 * kDay},
                                                  "The longest wait, whatever the asker names."),
    row<&Settings::sessions, &Sessions::caller_grace>(
        "sessions.caller_grace", {Type::duration, "2s", 0, kHour},
        "An interaction whose last caller is gone is cancelled after this time."),
    row<&Settings::group, &Group::max_units>("store.batch_units",
                                             {Type::integer, "1024", 1, 100'000},
                                             "Units that are committed together at most."),
    row<&Settings::group, &Group::max_bytes>(
        "store.batch_bytes", {Type::bytes, "16MiB", kKiB, kGiB},
        "Bytes that are committed together; one larger unit is a group of its own."),
    row<&Settings::group, &Group::max_queue>("store.queue_bytes",
                                             {Type::bytes, "128MiB", kMiB, 64 * kGiB},
                                             "What may wait for its commit; more is refused."),
    row<&Settings::min_free_bytes>(
        "store.min_free", {Type::bytes, "256MiB", 0, 1'024 * kGiB},
        "While the disk of the data directory has less room, no new questions, runs, studies and "
        "bookings are taken, and /readyz says so. 0: until it is full."),
    row<&Settings::max_data_bytes>(
        "store.max_data", {Type::bytes, "100GiB", 0, 1'024 * kGiB},
        "The same while the data directory is larger. 0: however large."),
    row<&Settings::retention, &Retention::max_age>(
        "retention.max_age", {Type::duration, "0", 0, 36'500 * kDay},
        "Events older than this are deleted. 0: kept for ever."),
    row<&Settings::retention, &Retention::max_events_per_session>(
        "retention.max_events", {Type::integer, "0", 0, 1'000'000'000'000},
        "Events kept of one session, the newest. 0: all."),
    row<&Settings::retention, &Retention::interval>(
        "retention.interval", {Type::duration, "1m", kSecond, kDay},
        "Between two looks for events that are to be deleted."),
};

// Levenshtein distance.
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
  static const std::vector<Setting> kTable = [] {
    std::vector<Setting> out;
    for (const auto part :
         {std::span<const Setting>(kServerRows), study_settings(), run_settings()}) {
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }();
  return kTable;
}

std::span<const SettingGroup> setting_groups() {
  static const SettingGroup kGroup = provider_group();
  return {&kGroup, 1};
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
  std::size_t best_distance = 4;  // limit, exclusive: keys with up to three edits are similar
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
