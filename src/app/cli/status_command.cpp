// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/status_command.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/json_writer.h"
#include "base/core/time_text.h"
#include "base/core/visible_text.h"

namespace parley::app {
namespace {

constexpr std::size_t kStatusColumn = 9;

std::string status_row(std::string_view name, const std::string& text) {
  return "  " + padded(name, kStatusColumn) + text + "\n";
}

std::string counted(int count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string head_text(const ServerState& state, core::WallTime now) {
  if (!state.server) {
    if (!state.failure.empty()) return core::visible_line(state.failure) + "\n";
    return state.holds_data ? "A server has the data directory, but not for this user.\n"
                            : "Parley is not running.\n";
  }
  const mcp::RunningServer& server = *state.server;
  std::string out = "Parley";
  if (!server.version.empty()) out += " " + core::visible_line(server.version);
  const bool runs = state.answers() || state.lacks_token;
  out += (runs ? " runs at " : " does not answer at ") + core::visible_line(server.access.base_url);
  if (state.lacks_token) out += "; this command has no token for it";
  if (state.answers() && server.started_at > 0) {
    out += ", for " + age_text(std::chrono::duration_cast<core::Millis>(
                          now - core::from_unix_ms(server.started_at)));
  }
  return out + "\n";
}

std::string waiting_text(const ServerState& state, core::WallTime now) {
  if (state.waiting == 0) return "nothing";
  std::string out = counted(state.waiting, "question", "questions");
  if (state.more) out += " or more";
  if (!state.oldest) return out;
  const auto age = std::chrono::duration_cast<core::Millis>(now - *state.oldest);
  out += (state.waiting == 1 ? ", for " : ", the oldest for ") + age_text(age);
  return state.oldest_text.empty() ? out : out + ": " + state.oldest_text;
}

std::string channels_text(const ServerState& state) {
  if (state.channels.empty()) return "none; the console sets them up under Settings";
  std::vector<std::string> names;
  for (const ServerState::Channel& channel : state.channels) {
    names.push_back(channel.kind + " " + core::visible_line(channel.name) +
                    (channel.failure.empty() ? "" : " (failed)"));
  }
  return absl::StrJoin(names, ", ");
}

std::string devices_text(const ServerState& state) {
  std::vector<std::string> addresses = state.addresses;
  const bool is_listed =
      std::find(addresses.begin(), addresses.end(), state.away) != addresses.end();
  if (!state.away.empty() && !is_listed) addresses.push_back(state.away);
  if (addresses.empty()) return "this computer only: `parley help serve`, --listen, --tailscale";
  return core::visible_line(absl::StrJoin(addresses, " "));
}

std::string agents_text(const core::Result<std::vector<AgentSetUp>>& agents) {
  if (!agents) return "unknown: " + core::visible_line(agents.error().message);
  if (agents->empty()) return "none was found on this computer";
  std::vector<std::string> names;
  names.reserve(agents->size());
  for (const AgentSetUp& agent : *agents) {
    names.push_back(std::string(agent.title) + " (" + std::string(state_name(agent.state)) + ")");
  }
  return absl::StrJoin(names, ", ");
}

void write_server(core::JsonWriter& json, const ServerState& state) {
  const mcp::RunningServer& server = *state.server;
  json.key("url").string(server.access.base_url);
  json.key("version").string(server.version).key("pid").number(server.pid);
  json.key("started_at");
  server.started_at > 0 ? json.string(core::time_text(core::from_unix_ms(server.started_at)))
                        : json.null();
  json.key("failure").string(state.failure);
  if (!state.answers()) return;
  json.key("waiting").begin_object().key("count").number(state.waiting);
  json.key("more").boolean(state.more).key("oldest_at");
  state.oldest ? json.string(core::time_text(*state.oldest)) : json.null();
  json.end_object().key("pages");
  state.pages ? json.number(*state.pages) : json.null();
  json.key("tls");
  state.tls.empty() ? json.null() : json.string(state.tls);
  json.key("addresses").strings(state.addresses);
  json.key("away");
  state.away.empty() ? json.null() : json.string(state.away);
  json.key("notices").objects(
      state.channels, [](core::JsonWriter& out, const ServerState::Channel& channel) {
        out.key("kind").string(channel.kind).key("name").string(channel.name);
        out.key("failure").string(channel.failure);
      });
}

}  // namespace

std::string status_text(const ServerState& state,
                        const core::Result<std::vector<AgentSetUp>>& agents,
                        const std::string& data, core::WallTime now) {
  std::string out = head_text(state, now);
  if (state.answers()) {
    out += status_row("Waiting", waiting_text(state, now));
    if (state.pages) {
      out += status_row("Pages", *state.pages == 0 ? "none is open: `parley open`"
                                                   : std::to_string(*state.pages) + " open");
    }
    out += status_row("Notices", channels_text(state));
    out += status_row("Devices", devices_text(state));
  } else if (state.server && state.lacks_token) {
    out += status_row("Next", no_token_advice(*state.server, data));
    out += status_row("Process", std::to_string(state.server->pid));
  } else if (state.server) {
    out += status_row("Why", core::visible_line(state.failure));
    out += status_row("Process", std::to_string(state.server->pid));
  }
  out += status_row("Agents", agents_text(agents));
  out += status_row("Data", core::visible_line(data));
  if (!state.holds_data && state.failure.empty()) {
    out += "\n`parley serve` starts it, `parley service install` for good.\n";
  }
  return out;
}

std::string status_json(const ServerState& state,
                        const core::Result<std::vector<AgentSetUp>>& agents,
                        const std::string& data) {
  return core::json_object([&](core::JsonWriter& json) {
    json.key("running").boolean(state.answers() || state.lacks_token).key("data").string(data);
    if (state.server) {
      write_server(json, state);
    } else if (!state.failure.empty()) {
      json.key("failure").string(state.failure);
    }
    json.key("agents");
    if (!agents) {
      json.null().key("agents_failure").string(agents.error().message);
      return;
    }
    json.objects(*agents, [](core::JsonWriter& out, const AgentSetUp& agent) {
      out.key("agent").string(agent.word).key("title").string(agent.title);
      out.key("state").string(state_name(agent.state)).key("hints").strings(agent.hints);
    });
  });
}

int show_status(const Settings& settings, bool json) {
  const ServerState state = look_at_server(settings.data);
  const core::Result<std::vector<AgentSetUp>> agents = agents_here();
  const bool printed =
      json ? print(status_json(state, agents, settings.data) + "\n")
           : print_text(status_text(state, agents, settings.data, core::SystemClock().wall()));
  if (!printed) return kExitFailure;
  return state.answers() || state.lacks_token ? kExitOk : kExitUnreachable;
}

}  // namespace parley::app
