// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/desktop_options.h"

#include <fstream>
#include <optional>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/command_flag.h"
#include "programs/desktop/desktop_settings.h"

namespace parley::desktop {
namespace {

constexpr std::string_view kDesktopHelp =
    "parley-desktop: the console of your Parley servers in a window, with an icon in the tray\n"
    "\n"
    "  --server URL         show one server, without reading or writing settings\n"
    "  --token-file FILE    its token: the first line of FILE\n"
    "  --hidden             start in the tray, without a window\n"
    "  --quit               end the program that is running\n"
    "  --print-state        print the state as one line of JSON whenever it changes\n"
    "  --devtools           allow the web inspector\n"
    "  --version, --help\n"
    "\n"
    "Without --server, the servers are those of ~/.config/parley/desktop.toml; at the first start\n"
    "the running server of this computer, or the one that you enter. A second start shows the\n"
    "window of the first.\n";

auto bad_flag(std::string what) {
  return core::fail(core::Code::invalid_argument,
                    std::move(what) + " Run parley-desktop --help for the flags.");
}

bool* switch_named(DesktopOptions& options, const std::string& name) {
  if (name == "hidden") return &options.hidden;
  if (name == "quit") return &options.quit;
  if (name == "print-state") return &options.print_state;
  if (name == "devtools") return &options.devtools;
  if (name == "help" || name == "h") return &options.help;
  if (name == "version") return &options.version;
  return nullptr;
}

std::string* value_named(DesktopOptions& options, const std::string& name) {
  if (name == "server") return &options.server;
  if (name == "token-file") return &options.token_file;
  return nullptr;
}

}  // namespace

core::Result<DesktopOptions> parse_desktop_flags(const std::vector<std::string>& arguments) {
  DesktopOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::optional<core::CommandFlag> flag = core::split_flag(arguments[i]);
    if (!flag) return bad_flag("Argument " + std::to_string(i + 1) + " is not a flag.");
    if (std::string* const value = value_named(options, flag->name)) {
      std::optional<std::string> given = flag->value;
      if (!given && i + 1 < arguments.size()) given = arguments[++i];
      if (!given || given->empty()) return bad_flag("--" + flag->name + " needs a value.");
      *value = *given;
    } else if (bool* const on = switch_named(options, flag->name)) {
      *on = true;
    } else {
      return bad_flag("Unknown flag --" + flag->name + ".");
    }
  }
  if (options.server.empty() != options.token_file.empty()) {
    return bad_flag("--server and --token-file are given together.");
  }
  return options;
}

std::string_view desktop_help() { return kDesktopHelp; }

core::Result<std::string> read_token_file(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  if (!in) return core::fail(core::Code::not_found, file + ": cannot be read", "token_file");
  std::getline(in, line);
  std::string token(core::trimmed(line));
  if (const std::string fault = fault_of_token(token); !fault.empty()) {
    return core::fail(core::Code::invalid_argument, file + ": the token " + fault, "token_file");
  }
  return token;
}

}  // namespace parley::desktop
