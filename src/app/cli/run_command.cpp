// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_command.h"

#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "agents/mcp/signal_watch.h"
#include "app/cli/run_host.h"
#include "app/cli/run_repl.h"
#include "app/cli/run_show.h"
#include "app/server/exit_code.h"
#include "app/server/logging.h"
#include "app/server/terminal.h"
#include "runtime/tool/mcp/mcp_config.h"

namespace parley::app {
namespace {

// The message of the first run; may be empty with `resume` and `interactive`. std::nullopt, after a
// complaint: there is no message.
std::optional<std::string> message_of(const RunCommandOptions& options) {
  const bool from_stdin = options.message.size() == 1 && options.message.front() == "-";
  if (from_stdin && options.interactive) {
    complain({"The message cannot be read from stdin.", "With -i, stdin is read line by line.",
              "Leave out the -."});
    return std::nullopt;
  }
  std::string all;
  if (from_stdin) all.assign(std::istreambuf_iterator<char>(std::cin), {});
  if (!from_stdin) {
    for (const std::string& word : options.message) all += (all.empty() ? "" : " ") + word;
  }
  if (!all.empty() || !options.resume.empty() || options.interactive) return all;
  complain({"The message is missing.", "The message tells the agent what to do.",
            "For example: parley run \"List the files here.\""});
  return std::nullopt;
}

// Applies --mcp-config to the settings of a server that this command starts; a server that is
// running keeps its own file. False, after a complaint: the file cannot be used.
bool take_mcp_config(const RunCommandOptions& options, Settings& settings) {
  if (options.mcp_config.empty()) return true;
  std::error_code error;
  settings.mcp_config = std::filesystem::absolute(options.mcp_config, error).string();
  const auto config = tool::load_mcp_config(settings.mcp_config, tool::process_environment());
  if (config) return true;
  complain({"The MCP servers cannot be read.", config.error().message,
            "Check the file with `parley mcp list --mcp-config FILE`."});
  return false;
}

bool may_name_mcp_config(const RunCommandOptions& options, const RunHost& host) {
  if (options.mcp_config.empty() || host.own()) return true;
  complain(
      {"--mcp-config is only for a server that this command starts.",
       "Another server uses the data directory, and has its own MCP servers.",
       "Start that server with --runs-mcp-config FILE, or give another directory with --data."});
  return false;
}

int complain_stream(const std::string& path, const core::Error& error) {
  const bool there = error.code == core::Code::already_exists;
  complain(
      {"The stream cannot be written to " + path + ".",
       there ? "The file already exists." : error.message,
       there ? "Name a new file, or append to this one with --append." : "Name another file."});
  return kExitUsage;
}

}  // namespace

int run_agent(const Settings& settings, const RunCommandOptions& options) {
  std::optional<std::string> message = message_of(options);
  Settings own = settings;
  if (!message || !take_mcp_config(options, own)) return kExitUsage;
  std::unique_ptr<StreamFile> file;
  if (!options.file.empty()) {
    auto opened = StreamFile::open(options.file, options.append);
    if (!opened) return complain_stream(options.file, opened.error());
    file = std::move(*opened);
  }
  set_up_command_logging(settings);
  // Must be created before any thread.
  const mcp::SignalWatch signals;
  auto host = RunHost::find_or_start(own);
  if (!host) {
    complain(host.error().complaint);
    return host.error().code;
  }
  if (!may_name_mcp_config(options, *host)) return kExitUsage;
  RunStage stage(options, *host, signals, file.get());
  RunAsk ask{std::move(*message), options.session, options.resume, options.model, options.approve};
  if (options.interactive) return RunRepl(stage, std::move(ask)).run();
  return RunShow(stage, std::move(ask)).run();
}

}  // namespace parley::app
