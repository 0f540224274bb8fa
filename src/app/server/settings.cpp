// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/settings.h"

#include <array>
#include <string>
#include <vector>

#include "app/server/settings_rows.h"
#include "base/core/near_names.h"
#include "identity/auth/token_store.h"

namespace parley::app {
namespace {

using Type = SettingType;
using Server = net::ServerOptions;
using Sessions = session::SessionLimits;
using Group = event::GroupLimits;
using Retention = event::Retention;

constexpr std::string_view kLogLevels[] = {"trace", "debug", "info", "warn", "error", "off"};
constexpr std::string_view kTlsModes[] = {"off", "auto"};
constexpr std::string_view kMcpAsk[] = {"auto", "held", "elicit"};
constexpr std::string_view kLogFormats[] = {"text", "json"};

constexpr Setting kServerRows[] = {
    row<&Settings::listen>("listen", {Type::endpoint, "127.0.0.1:22080"},
                           "Address and port on which the server listens. Port 0 picks a free "
                           "port. Without a host: loopback."),
    row<&Settings::data>(
        "data", {Type::path},
        "The data directory. Empty: $XDG_DATA_HOME/parley, else ~/.local/share/parley."),
    row<&Settings::token>("token", {Type::secret},
                          "A token that is valid until this server stops, in addition to those of "
                          "the data directory."),
    row<&Settings::public_url>("public_url", {Type::origin},
                               "The public origin of the server behind a proxy. Pages of this "
                               "origin are allowed, and links use it."),
    row<&Settings::tailscale>(
        "tailscale", {Type::boolean, "false"},
        "Listen on the addresses of this computer in its tailnet too, by TLS, with the name and "
        "the "
        "certificate that the program tailscale gives. Links use that name if there is no "
        "public_url."),
    row<&Settings::server, &Server::allowed_origins>(
        "allowed_origins", {Type::list},
        "Origins of other pages that may open WebSockets and read answers. *: every page."),
    row<&Settings::allow_plain>(
        "allow_plain", {Type::boolean, "false"},
        "Listen on more than loopback without TLS. Tokens then cross the network in the clear: "
        "only for a trusted network or behind a proxy that speaks TLS."),
    row<&Settings::front_end>("front_end", {Type::path},
                              "Folder with the built files of another chat front end, served at /; "
                              "the console is then at /console/. Read at the start."),
    row<&Settings::comfyui>(
        "comfyui", {Type::urls},
        "ComfyUI servers for the chats of all users. A chat that names none uses the first. Others "
        "are registered by a token with the right admin."),
    row<&Settings::shards>("shards", {Type::integer, "0", 0, 256},
                           "Threads that serve connections. 0: one for each core."),
    row<&Settings::mcp_ask>(
        "mcp.ask", {Type::choice, "auto", 0, 0, kMcpAsk},
        "How clients of /mcp wait for an answer. auto: as a task where they take tasks, else in a "
        "held call. held: always in a held call. elicit: also in the agent's own window, where it "
        "can show a question."),
    row<&Settings::mcp_slice>(
        "mcp.slice", {Type::duration, "0", 0, kHour},
        "Clients of /mcp in revision 2026-07-28 that neither take tasks nor show questions: a held "
        "call is answered after this time with a state, with which the client calls again. 0: it "
        "is held until the answer."),
    row<&Settings::mcp_oauth>(
        "mcp.oauth", {Type::boolean, "false"},
        "Agents may log in to /mcp in a browser (OAuth), with a token that a person types there. "
        "Needs public_url with https, unless the server listens on loopback."),
    row<&Settings::mcp_oauth_clients>(
        "mcp.oauth_clients", {Type::names},
        "Programs that may ask for such a login beside those whose id is the address of a "
        "document: the client id, a space, and its redirect URIs, separated by spaces."),
    row<&Settings::mcp_oauth_registration>(
        "mcp.oauth_registration", {Type::boolean, "false"},
        "Any program may register itself for such a login (POST /register)."),
    row<&Settings::tls_mode>(
        "tls.mode", {Type::choice, "off", 0, 0, kTlsModes},
        "auto: the server speaks TLS only, with a certificate of its own authority, for the names "
        "and addresses of this computer. tls.cert and tls.key take precedence."),
    row<&Settings::tls_cert>("tls.cert", {Type::path},
                             "PEM file with the certificate chain. With tls.key: the server speaks "
                             "TLS only. Both are read again on SIGHUP."),
    row<&Settings::tls_key>("tls.key", {Type::path}, "PEM file with the private key."),
    row<&Settings::project_folders>(
        "inbox.project_folders", {Type::names},
        "Folders whose file names are offered after @ in an answer, to pages on other computers, "
        "if "
        "the question is about a project below one of them. A page on this computer needs none."),
    row<&Settings::log_level>("log.level", {Type::choice, "info", 0, 0, kLogLevels},
                              "Lowest level that is logged, to stderr."),
    row("log.format", {Type::choice, "text", 0, 0, kLogFormats},
        "Readable lines, or one JSON object per line.",
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
    row<&Settings::server, &Server::max_pipelined>(
        "limits.pipelined", {Type::integer, "16", 1, 1024},
        "Pipelined requests that are read ahead on one connection."),
    row<&Settings::server, &Server::max_open_body_bytes>(
        "limits.open_body_bytes", {Type::bytes, "64KiB", kKiB, kGiB},
        "The largest body of an unauthenticated request; more is answered 413."),
    row<&Settings::server, &Server::max_assembling_bytes>(
        "limits.unfinished_bytes", {Type::bytes, "256MiB", kMiB, 64 * kGiB},
        "Bytes of incomplete requests and WebSocket messages held over all connections; more is "
        "answered 503, or closed with 1013."),
    row<&Settings::server, &Server::max_assembling_bytes_per_account>(
        "limits.unfinished_bytes_per_token", {Type::bytes, "128MiB", kMiB, 64 * kGiB},
        "The part of limits.unfinished_bytes that the connections of one token may hold."),
    row<&Settings::server, &Server::max_assembling_bytes_unknown>(
        "limits.unfinished_bytes_unknown", {Type::bytes, "64MiB", kMiB, 64 * kGiB},
        "The part of limits.unfinished_bytes that all unauthenticated connections may hold "
        "together; those from one address may hold a quarter of it."),
    row<&Settings::server, &Server::max_connections>(
        "limits.connections", {Type::integer, "20000", 1, 1'000'000},
        "Open connections; more are answered 503 and closed. In a cluster also those that other "
        "nodes serve for this one, and those that this one serves for others."),
    row<&Settings::server, &Server::max_queue_bytes>(
        "limits.queue_bytes", {Type::bytes, "8MiB", kKiB, kGiB},
        "Bytes that may be queued for one slow consumer. More closes its connection; it can "
        "resume."),
    row<&Settings::server, &Server::max_queue_messages>(
        "limits.queue_messages", {Type::integer, "4096", 1, 1'000'000},
        "Messages that may be queued for one slow WebSocket."),
    row<&Settings::compression>("limits.compression", {Type::boolean, "true"},
                                "Offer permessage-deflate to WebSockets."),
    row<&Settings::server, &Server::header_timeout>(
        "timeouts.header", {Type::duration, "10s", kSecond, kHour},
        "Time from the first byte of a request's head to its last."),
    row<&Settings::server, &Server::body_timeout>("timeouts.body",
                                                  {Type::duration, "1m", kSecond, kHour},
                                                  "The longest pause inside a request's body."),
    row<&Settings::server, &Server::idle_timeout>(
        "timeouts.idle", {Type::duration, "75s", kSecond, kDay},
        "How long an idle connection is kept open between requests."),
    row<&Settings::login_timeout>("timeouts.login", {Type::duration, "30s", kSecond, kHour},
                                  "A WebSocket that has not logged in by then is closed."),
    row<&Settings::server, &Server::ping_interval>("timeouts.ping",
                                                   {Type::duration, "25s", kSecond, kHour},
                                                   "How often a quiet WebSocket is pinged."),
    row<&Settings::server, &Server::pong_timeout>(
        "timeouts.pong", {Type::duration, "1m", kSecond, kHour},
        "A WebSocket that sends nothing for this long is closed."),
    row<&Settings::server, &Server::close_timeout>(
        "timeouts.close", {Type::duration, "5s", 100, 60 * kSecond},
        "How long the server waits for the peer's close frame."),
    row<&Settings::sessions, &Sessions::max_pending>(
        "sessions.pending", {Type::integer, "1000", 1, 1'000'000},
        "Open interactions of one session; more are refused."),
    row<&Settings::sessions, &Sessions::max_pending_bytes>(
        "sessions.pending_bytes", {Type::bytes, "64MiB", kKiB, 64 * kGiB},
        "Bytes of the questions of all open interactions of one session; more are refused, except "
        "the first question."),
    row<&Settings::sessions, &Sessions::max_participants>("sessions.participants",
                                                          {Type::integer, "20000", 1, 1'000'000},
                                                          "Participants of one session."),
    row<&Settings::sessions, &Sessions::max_waiters>("sessions.waiters",
                                                     {Type::integer, "64", 1, 10'000},
                                                     "Callers that wait for one interaction."),
    row<&Settings::sessions, &Sessions::default_wait>(
        "sessions.default_wait", {Type::duration, "10m", kSecond, kDay},
        "How long an interaction waits if the caller gives no timeout."),
    row<&Settings::sessions, &Sessions::max_wait>(
        "sessions.max_wait", {Type::duration, "24h", kSecond, 30 * kDay},
        "The longest wait, whatever timeout the caller gives."),
    row<&Settings::sessions, &Sessions::caller_grace>(
        "sessions.caller_grace", {Type::duration, "2s", 0, kHour},
        "An interaction is cancelled when its last caller has been disconnected for this long."),
    row<&Settings::store_url>(
        "store.url", {Type::secret},
        "The PostgreSQL database that has everything that is stored, for example "
        "postgresql://parley@db.example/parley. Empty: files of the data directory."),
    row<&Settings::store_pooled>(
        "store.pooled", {Type::boolean, "false"},
        "store.url is the address of a pool of connections that gives one for a transaction, such "
        "as PgBouncer: statements are not prepared, and limits of time are those of the user."),
    row<&Settings::group, &Group::max_units>("store.batch_units",
                                             {Type::integer, "1024", 1, 100'000},
                                             "The largest number of units in one group commit."),
    row<&Settings::group, &Group::max_bytes>(
        "store.batch_bytes", {Type::bytes, "16MiB", kKiB, kGiB},
        "The largest number of bytes in one group commit; a larger unit is committed alone."),
    row<&Settings::group, &Group::max_queue>(
        "store.queue_bytes", {Type::bytes, "128MiB", kMiB, 64 * kGiB},
        "Bytes that may wait for their commit; more is refused."),
    row<&Settings::min_free_bytes>(
        "store.min_free", {Type::bytes, "256MiB", 0, 1'024 * kGiB},
        "While the disk of the data directory has less free space, new questions, runs, studies "
        "and bookings are refused, and /readyz reports it. 0: no limit."),
    row<&Settings::max_data_bytes>(
        "store.max_data", {Type::bytes, "100GiB", 0, 1'024 * kGiB},
        "The same while the data directory is larger than this. 0: no limit."),
    row<&Settings::cluster_node>(
        "cluster.node", {Type::text},
        "The name of this server among the nodes of a cluster, such as its host name. The nodes "
        "share the database of store.url, and clients reach all of them by any. Empty: the server "
        "is alone."),
    row<&Settings::cluster_name>(
        "cluster.name", {Type::text, "parley"},
        "The name of the cluster. A database belongs to one: a node with another name does not "
        "start."),
    row<&Settings::cluster_listen>(
        "cluster.listen", {Type::endpoint, "127.0.0.1:0"},
        "Address and port on which a node listens for the other nodes. Port 0 picks a free port."),
    row<&Settings::cluster_link>(
        "cluster.link", {Type::text},
        "The address at which the other nodes reach this one, HOST:PORT, if it is not that of "
        "cluster.listen. A name is resolved at the start."),
    row<&Settings::retention, &Retention::max_age>(
        "retention.max_age", {Type::duration, "0", 0, 36'500 * kDay},
        "Events older than this are deleted. 0: kept for ever."),
    row<&Settings::retention, &Retention::max_events_per_session>(
        "retention.max_events", {Type::integer, "0", 0, 1'000'000'000'000},
        "Number of events kept for one session; the oldest are deleted. 0: all are kept."),
    row<&Settings::retention, &Retention::interval>(
        "retention.interval", {Type::duration, "1m", kSecond, kDay},
        "Time between two searches for events to delete."),
};

std::string spelled(std::string_view prefix, std::string_view key, char separator, bool upper) {
  constexpr std::string_view kMode = ".mode";
  if (key.ends_with(kMode)) key.remove_suffix(kMode.size());
  std::string out(prefix);
  for (const char c : key) {
    const bool joint = c == '.' || c == '_';
    const bool letter = c >= 'a' && c <= 'z';
    out.push_back(joint ? separator : (upper && letter ? static_cast<char>(c - 'a' + 'A') : c));
  }
  return out;
}

}  // namespace

bool reachable_by_others(const Settings& settings) {
  return !settings.listen.is_loopback() || !settings.public_url.empty() || settings.tailscale;
}

bool has_guessable_token(const Settings& settings) {
  return !settings.token.empty() && settings.token.size() < auth::kMinUnguessableBytes;
}

std::span<const Setting> setting_table() {
  static const std::vector<Setting> kTable = [] {
    std::vector<Setting> out;
    for (const auto part : {std::span<const Setting>(kServerRows), study_settings(), run_settings(),
                            notify_settings()}) {
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }();
  return kTable;
}

std::span<const SettingGroup> setting_groups() {
  static const std::array<SettingGroup, 4> kGroups = {provider_group(), ntfy_group(),
                                                      webhook_group(), email_group()};
  return kGroups;
}

const Setting* find_setting(std::string_view key) {
  for (const Setting& setting : setting_table()) {
    if (setting.key == key) return &setting;
  }
  return nullptr;
}

std::string_view nearest_setting(std::string_view key) {
  std::vector<std::string_view> keys;
  for (const Setting& setting : setting_table()) {
    const std::size_t dot = setting.key.rfind('.');
    // A key without its section.
    if (dot != std::string_view::npos && setting.key.substr(dot + 1) == key) return setting.key;
    keys.push_back(setting.key);
  }
  const std::vector<std::string> near = core::near_names(key, keys, 1);
  return near.empty() ? std::string_view() : find_setting(near.front())->key;
}

std::string environment_name(std::string_view key) { return spelled("PARLEY_", key, '_', true); }

std::string flag_name(std::string_view key) { return spelled("--", key, '-', false); }

}  // namespace parley::app
