// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/service_unit.h"

namespace parley::app {
namespace {

constexpr std::string_view kMark = "# Written by `parley service install`";

}  // namespace

std::optional<std::string> unit_word(std::string_view word, UnitWord kind) {
  std::string out = "\"";
  for (const char c : word) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return std::nullopt;
    // '%' begins a specifier, '$' a variable.
    if (c == '%' || (c == '$' && kind == UnitWord::argument)) out.push_back(c);
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out + "\"";
}

std::optional<std::string> unit_text(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) {
    const auto quoted = unit_word(word, line.empty() ? UnitWord::program : UnitWord::argument);
    if (!quoted) return std::nullopt;
    line += (line.empty() ? "" : " ") + *quoted;
  }
  return std::string(kMark) +
         "; `parley service uninstall` removes it.\n"
         "[Unit]\n"
         "Description=Parley, between AI agents and the people they work for\n"
         "StartLimitIntervalSec=0\n"
         "\n"
         "[Service]\n"
         "Type=exec\n"
         "ExecStart=" +
         line +
         "\n"
         "ExecReload=/bin/kill -HUP $MAINPID\n"
         "TimeoutStopSec=10\n"
         "Restart=on-failure\n"
         "RestartSec=5\n"
         "UMask=0077\n"
         "\n"
         "[Install]\n"
         "WantedBy=default.target\n";
}

bool is_own_unit(std::string_view text) { return text.starts_with(kMark); }

std::string unit_file(std::string_view config_home, std::string_view home) {
  const std::string folder =
      config_home.starts_with('/') ? std::string(config_home) : std::string(home) + "/.config";
  return folder + "/systemd/user/" + std::string(kServiceName);
}

}  // namespace parley::app
