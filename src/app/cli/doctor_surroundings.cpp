// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/doctor_surroundings.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "app/server/version.h"
#include "base/core/visible_text.h"

namespace parley::app {
namespace {

Finding agent_finding(const AgentSetUp& agent) {
  Finding out{Finding::State::good, std::string(agent.word), std::string(agent.title), {}};
  const std::string command = "`parley setup " + std::string(agent.word) + "`";
  const std::string files = absl::StrJoin(agent.files, "; ");
  switch (agent.state) {
    case AgentSetUp::State::current:
      out.detail += " asks here: MCP server and hooks are current";
      break;
    case AgentSetUp::State::absent:
      out.detail += " is not set up";
      out.next = command + " lets it ask here.";
      break;
    case AgentSetUp::State::other:
      out.state = Finding::State::warning;
      out.detail += " is set up with flags, by another version or in part: " + files;
      out.next = command + " with the flags that you want renews it.";
      break;
    case AgentSetUp::State::blocked:
      out.state = Finding::State::warning;
      out.detail += " cannot be set up: " + files;
      out.next = "Correct the file, then " + command + ".";
      break;
  }
  return out;
}

}  // namespace

Finding check_server(const ServerState& state, const std::string& data) {
  Finding out{Finding::State::good, "server", {}, {}};
  if (!state.server) {
    out.state = Finding::State::warning;
    if (!state.failure.empty()) {
      out.detail = core::visible_line(state.failure);
      out.next = "Run this command as the user of the directory, or name another by --data.";
      return out;
    }
    out.detail = state.holds_data
                     ? "a process has the data directory, and this user cannot reach it"
                     : "none is running: nobody can be asked";
    out.next = state.holds_data ? "Run this command as the user of the server."
                                : "`parley serve` starts it, `parley service install` for good.";
    return out;
  }
  const mcp::RunningServer& server = *state.server;
  const std::string at = core::visible_line(server.access.base_url);
  const std::string process = " (process " + std::to_string(server.pid) + ")";
  if (!state.answers()) {
    out.state = Finding::State::warning;
    out.detail = "runs at " + at + process +
                 (state.lacks_token ? "; this command has no token for it"
                                    : " and does not answer: " + core::visible_line(state.failure));
    out.next = state.lacks_token ? no_token_advice(server, data)
                                 : "Look at its log; stop it and start it again.";
    return out;
  }
  out.detail = "answers at " + at + process;
  if (!server.version.empty() && server.version != kVersion) {
    out.state = Finding::State::warning;
    out.detail += ", version " + core::visible_line(server.version) + "; this program is " +
                  std::string(kVersion);
    out.next = "Start the server again.";
  }
  return out;
}

std::vector<Finding> check_reach(const ServerState& state, const Settings& settings) {
  if (!state.answers()) return {};
  std::vector<Finding> out;
  int push = 0;
  for (const ServerState::Channel& channel : state.channels) {
    if (channel.kind == "push") ++push;
    const std::string name = channel.kind == "push" ? "device" : channel.kind;
    const std::string title = core::visible_line(channel.name);
    if (channel.failure.empty()) {
      out.push_back({Finding::State::good, name, title, {}});
    } else {
      out.push_back({Finding::State::warning, name,
                     title + ": the last notice failed: " + core::visible_line(channel.failure),
                     "Settings, Notifications in the console sends a test notice."});
    }
  }
  if (push == 0) {
    out.push_back({Finding::State::good, "device", "no device of this token gets push notices",
                   "Open the console on the phone, then Settings, Notifications."});
  }
  Finding phone{Finding::State::good, "phone", {}, {}};
  if (!settings.public_url.empty()) {
    phone.detail = settings.public_url;
  } else if (!state.away.empty()) {
    phone.detail = core::visible_line(state.away) + ", from anywhere";
  } else if (!state.addresses.empty()) {
    phone.detail = absl::StrJoin(state.addresses, " ");
    if (state.tls == "off") {
      phone.state = Finding::State::warning;
      phone.detail += ", without https: no push, no installed page";
      phone.next = "`parley serve --tls auto`, or a proxy with a certificate.";
    }
  } else {
    phone.detail = "the server listens on this computer alone";
    phone.next =
        "`parley serve --listen 0.0.0.0:22080 --tls auto` lets phones of this network in, "
        "`--tailscale` those of your tailnet.";
  }
  out.push_back(std::move(phone));
  return out;
}

std::vector<Finding> check_agents(const core::Result<std::vector<AgentSetUp>>& agents) {
  std::vector<Finding> out;
  if (!agents) {
    out.push_back({Finding::State::warning, "agents",
                   "unknown: " + core::visible_line(agents.error().message),
                   "Run it as a user that `getent passwd` shows: setup writes below the home "
                   "directory of that entry."});
    return out;
  }
  for (const AgentSetUp& agent : *agents) {
    out.push_back(agent_finding(agent));
    for (const std::string& hint : agent.hints) {
      out.push_back({Finding::State::warning, std::string(agent.word), hint, {}});
    }
  }
  if (agents->empty()) {
    out.push_back({Finding::State::good, "agents", "none was found on this computer", {}});
  }
  return out;
}

Finding check_prompt(const std::string& data) {
  return finding_of_prompt(ask_test_prompt(data, TestPrompt::doctor));
}

Finding finding_of_prompt(const TestPromptEnd& end) {
  Finding out{Finding::State::warning, "test prompt", {}, {}};
  switch (end.exit) {
    case mcp::AskExit::answered:
      out.state = Finding::State::good;
      out.detail = "was answered" + (end.place.empty() ? "" : " " + end.place);
      break;
    case mcp::AskExit::timed_out:
      out.detail = "nobody answered within " + std::to_string(kTestPromptSeconds) + " s";
      out.next = "`parley open` shows the console; check the notices above.";
      break;
    case mcp::AskExit::cancelled:
      out.detail = "was withdrawn";
      break;
    default:
      out.state = Finding::State::fault;
      out.detail = "failed: " + end.error;
      out.next = "Start the server with `parley serve`.";
  }
  return out;
}

}  // namespace parley::app
