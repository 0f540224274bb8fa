// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parley::session {

// The way by which an act on an interaction reached the server.
enum class Channel : std::uint8_t {
  unknown,    // none (a deadline), or an event of before channels were stored
  console,    // Parley's own page, over the Agent Assistant protocol
  assistant,  // another client of that protocol
  push,       // a button or the page of a notice on a device with Web Push
  ntfy,
  mail,
  webhook,
  link,  // an answer link of a notifier that is not configured any more
  mcp,   // the window of an MCP client
  chat,
  loom,
  api,  // the HTTP API below /v1
  run,  // an earlier answer in the same run
};

std::string_view channel_name(Channel channel);  // "console", ...; "" for unknown
std::optional<Channel> channel_from_name(std::string_view name);

// The holder of an authority as the server knows it, whatever name a client gives itself.
struct Holder {
  std::string token;  // id of the token, the login or the grant; empty: none (a link, a guest)
  std::string name;   // of the token, the user, the device or the notifier
  bool operator==(const Holder&) const = default;
};

// The one that ended an interaction. Empty for a deadline, and in events of before it was stored.
struct Answerer {
  Holder holder = {};
  Channel channel = Channel::unknown;
  bool operator==(const Answerer&) const = default;
};

// The text on which an answer was given: its SHA-256, as model/session/shown.h makes it.
struct Shown {
  enum class Told : std::uint8_t {
    nothing,    // the client cannot say
    by_client,  // the client sent the hash with its answer
    by_server,  // the server made the text itself: notices, the pages of answer links
  };
  Told told = Told::nothing;
  std::string sha256;  // hexadecimal digits; empty for `nothing`
  bool operator==(const Shown&) const = default;
};

std::string_view told_name(Shown::Told told);  // "not told", "client", "server"
std::optional<Shown::Told> told_from_name(std::string_view name);

}  // namespace parley::session
