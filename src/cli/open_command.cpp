// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "cli/status_command.h"
#include "cli/welcome.h"
#include "mcp/browser.h"
#include "mcp/settings.h"
#include "server/exit_code.h"
#include "server/terminal.h"

namespace parley::app {
namespace {

bool has_display() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    // Safe: no thread of this program changes the environment.
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr && *value != '\0') return true;
  }
  return false;
}

}  // namespace

int open_console(const Settings& settings, const OpenOptions& options) {
  const auto server = mcp::running_server(settings.data);
  if (!server) {
    complain({"The console cannot be opened.", "No server of this user runs.",
              "`parley serve --open` starts one and opens it; --data names another directory."});
    return kExitUnreachable;
  }
  const std::string link = page_link(server->access.base_url, server->access.token);
  if (!options.print && has_display() && mcp::open_browser(link)) {
    // Without the token: a terminal is often shown to others.
    return print_text("opened " + server->access.base_url + "\n") ? kExitOk : kExitFailure;
  }
  return print_text(link + "\n") ? kExitOk : kExitFailure;
}

}  // namespace parley::app
