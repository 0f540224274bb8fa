// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/mcp_command.h"

#include <charconv>
#include <optional>
#include <utility>

#include "agents/mcp/browser.h"
#include "agents/mcp/mcp_stdio.h"
#include "agents/mcp/signal_watch.h"
#include "base/core/command_flag.h"
#include "base/core/limits.h"
#include "base/core/number_text.h"
#include "base/core/result.h"
#include "base/core/transport_variables.h"

namespace parley::mcp {

const std::string_view kMcpHelp =
    "agentassistant-mcp: an MCP server on stdin and stdout that asks the person in front of "
    "Parley\n"
    "\n"
    "  --host HOST      the server's host             (default 127.0.0.1)\n"
    "  --port PORT      the server's port             (default 22080)\n"
    "  --token TOKEN    the token that your browser uses\n"
    "  --url URL        origin of the server, for example https://parley.example\n"
    "  --config FILE    settings file in place of agentassistant-mcp.toml\n"
    "  --data DIR       Parley's data directory, to find a running server\n"
    "  --no-project-config   ignore agentassistant-mcp.toml in the working directory\n"
    "  --max-call SEC   a tool call ends after SEC seconds (5 to 86400) at most; the tool\n"
    "                   await_answer then goes on waiting for the same answer\n"
    "  --elicit         ask in the agent's own window too, if it can show a question\n"
    "  --web            open the server's page in a browser, then serve\n"
    "  --disable-ask-question, --disable-workreport    offer fewer tools\n"
    "  --version, --help\n"
    "\n"
    "Without these flags the running server of this user is used.\n";

namespace {

constexpr int kBadUsage = 2;

core::Result<int> parse_port(const std::string& text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < kNoPort || port > 65535) {
    return core::fail(core::Code::invalid_argument, "--port: must be a number from 1 to 65535",
                      "port");
  }
  return port;
}

core::Result<core::Millis> parse_longest_call(const std::string& text) {
  const auto seconds = core::parse_number<std::int64_t>(text);
  if (!seconds || std::chrono::seconds(*seconds) < kShortestWait ||
      std::chrono::seconds(*seconds) > core::limits::kMaxWait) {
    return core::fail(core::Code::invalid_argument,
                      "--max-call: must be a number of seconds from 5 to 86400", "max-call");
  }
  return std::chrono::seconds(*seconds);
}

// Sets a switch; false if `name` is not a switch.
bool set_switch(McpOptions& options, const std::string& name, bool on) {
  if (name == "web") return options.web = on, true;
  if (name == "no-project-config") return options.no_project_config = on, true;
  if (name == "elicit") {
    options.shape = on ? AskShape::elicit : AskShape::automatic;
    return true;
  }
  if (name == "disable-ask-question") return options.tools.ask_question = !on, true;
  if (name == "disable-workreport") return options.tools.reports = !on, true;
  if (name == "help" || name == "h") return options.help = on, true;
  if (name == "version") return options.version = on, true;
  return false;
}

// Sets a value; false if `name` is not a flag with a value.
core::Result<bool> set_value(McpOptions& options, const std::string& name,
                             const std::string& value) {
  if (name == "host") return options.server.host = value, true;
  if (name == "token") return options.server.token = value, true;
  if (name == "url") return options.server.base_url = value, true;
  if (name == "config") return options.config_file = value, true;
  if (name == "data") return options.data = value, true;
  if (name == "max-call") {
    PARLEY_TRY(options.longest_call, parse_longest_call(value));
    options.tools.has_await_answer = true;
    return true;
  }
  if (name != "port") return false;
  PARLEY_TRY(const int port, parse_port(value));
  options.server.port = port;
  return true;
}

bool takes_value(const std::string& name) {
  return name == "host" || name == "port" || name == "token" || name == "url" || name == "config" ||
         name == "data" || name == "max-call";
}

}  // namespace

core::Result<McpOptions> parse_mcp_flags(const std::vector<std::string>& arguments) {
  McpOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::optional<core::CommandFlag> flag = core::split_flag(arguments[i]);
    const auto bad = [&](const std::string& what) {
      return core::fail(core::Code::invalid_argument,
                        what + ". Run agentassistant-mcp --help for the flags.");
    };
    if (!flag) return bad("Unexpected argument at position " + std::to_string(i + 1));
    std::optional<std::string> value = flag->value;
    if (takes_value(flag->name)) {
      if (!value && i + 1 < arguments.size()) value = arguments[++i];
      if (!value) return bad("--" + flag->name + " needs a value");
      PARLEY_TRY_VOID(set_value(options, flag->name, *value));
      continue;
    }
    const bool on = !value || *value == "true" || *value == "1";
    if (value && !on && *value != "false" && *value != "0") {
      return bad("--" + flag->name + " must be true or false");
    }
    if (!set_switch(options, flag->name, on)) return bad("Unknown flag --" + flag->name);
  }
  return options;
}

int run_mcp(const McpOptions& options, std::ostream& err) {
  if (!options.tools.ask_question && !options.tools.reports) {
    err << "agentassistant-mcp: no tool is left to offer: --disable-ask-question and "
           "--disable-workreport are both set\n";
    return kBadUsage;
  }
  const SignalWatch signals;
  UserPlaces places = UserPlaces::of_this_process();
  if (!options.data.empty()) places.data = options.data;
  if (options.no_project_config) places.working_directory.clear();
  const core::Result<Settings> settings =
      load_settings(options.server, places, options.config_file);
  if (!settings) {
    err << "agentassistant-mcp: " << settings.error().message << '\n';
    return kBadUsage;
  }
  for (const std::string& warning : settings->warnings) {
    err << "agentassistant-mcp: " << warning << '\n';
  }
  const auto endpoint = [&settings, &places] {
    return resolve_endpoint(settings->server, settings->file, places);
  };
  const ServerAccess first = endpoint();
  err << "agentassistant-mcp " PARLEY_VERSION ": the assistant server is " << first.base_url << " ("
      << first.origin << ")" << std::endl;
  if (options.web && !open_browser(page_url(first))) {
    err << "agentassistant-mcp: no browser could be opened (xdg-open); open " << first.base_url
        << "/ by hand" << std::endl;
  }
  StdioOptions stdio;
  stdio.stop_fd = signals.fd();
  stdio.version = PARLEY_VERSION;
  stdio.tools = options.tools;
  stdio.shape = options.shape;
  stdio.longest_call = options.longest_call;
  const core::SystemClock clock;
  core::SystemEntropy entropy;
  serve_stdio(stdio, clock, entropy, endpoint);
  return 0;
}

int agentassistant_mcp_main(const std::vector<std::string>& arguments, std::ostream& out,
                            std::ostream& err) {
  core::forget_transport_variables();
  const core::Result<McpOptions> options = parse_mcp_flags(arguments);
  if (!options) {
    err << "agentassistant-mcp: " << options.error().message << '\n';
    return kBadUsage;
  }
  if (options->help) {
    out << kMcpHelp;
    return 0;
  }
  if (options->version) {
    out << "agentassistant-mcp " PARLEY_VERSION "\n";
    return 0;
  }
  return run_mcp(*options, err);
}

}  // namespace parley::mcp
