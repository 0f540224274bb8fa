// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/mcp/settings.h"
#include "base/core/clock.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"

namespace parley::app {

// Longest wait for one answer of a server that is asked about itself.
inline constexpr core::Millis kStateWait{5'000};
// Questions that are counted; more are "100 or more".
inline constexpr int kMaxCountedQuestions = 100;

// The server of a data directory, as it describes itself.
struct ServerState {
  // A notifier, or a device with Web Push.
  struct Channel {
    std::string name;
    std::string kind;     // "ntfy", "webhook", "email", "push"
    std::string failure;  // of the last delivery; empty: none
  };

  bool holds_data = false;  // a process has the data directory
  std::optional<mcp::RunningServer> server;
  // Why it does not answer; empty: it answers. Without a server: why it cannot be looked for.
  std::string failure;
  int waiting = 0;    // questions
  bool more = false;  // there are more
  std::optional<core::WallTime> oldest;
  std::string oldest_text;                // its first line
  std::optional<std::int64_t> pages;      // connected programs of people
  std::optional<std::int64_t> notified;   // notifiers and devices that would tell of a question now
  std::vector<Channel> channels;          // notifiers of all, devices of the server's own token
  std::string tls;                        // "off", "auto", "own"; empty: unknown
  std::optional<core::WallTime> tls_end;  // of the certificate that it shows
  std::vector<std::string> addresses;     // at which other devices reach it
  std::string away;                       // the address from anywhere; empty: none

  bool lacks_token = false;  // it refuses the token of this command, or there is none

  bool answers() const { return server && failure.empty(); }
};

// mcp::running_server(), with an error if this user cannot read the directory
// (`permission_denied`). Writes nothing.
core::Result<std::optional<mcp::RunningServer>> server_of(const std::string& data);

// The advice for a server without a token that this command knows.
std::string no_token_advice(const mcp::RunningServer& server, const std::string& data);

// Asks the server of a data directory. Blocks up to kStateWait for each of a few answers. Must be
// called before any thread.
ServerState look_at_server(const std::string& data);

// The answers of the routes /v1/interactions?state=pending, /v1/notifiers, /v1/push/subscriptions.
void read_waiting(const boost::json::object& answer, ServerState& state);
void read_notifiers(const boost::json::object& answer, ServerState& state);
void read_devices(const boost::json::object& answer, ServerState& state);
// The answer of /v1/tls.
void read_reach(const boost::json::object& answer, ServerState& state);

// "40 s", "5 min", "3 h", "2 days"; never negative.
std::string age_text(core::Millis age);

}  // namespace parley::app
