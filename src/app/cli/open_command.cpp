// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "agents/mcp/browser.h"
#include "app/cli/server_state.h"
#include "app/cli/status_command.h"
#include "app/cli/welcome.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"

namespace parley::app {
namespace {

// A browser in the foreground of xdg-open goes on for longer.
constexpr core::Millis kBrowserWait{2'000};

bool has_display() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    // Safe: no thread of this program changes the environment.
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (value != nullptr && *value != '\0') return true;
  }
  return false;
}

// Without the token: a terminal is often shown to others.
std::string opened_text(const mcp::ServerAccess& access) {
  return "opened " + access.base_url +
         (access.token.empty() ? " (sign in there: this command has no token for it)\n" : "\n");
}

}  // namespace

int open_console(const Settings& settings, const OpenOptions& options) {
  const auto server = server_of(settings.data);
  if (!server || !*server) {
    complain({"The console cannot be opened.",
              server ? "No server of this user runs." : server.error().message,
              "`parley serve --open` starts one and opens it; --data names another directory."});
    return kExitUnreachable;
  }
  const mcp::ServerAccess& access = (*server)->access;
  const std::string link = page_link(access.base_url, access.token);
  const bool displays = has_display();
  if (!options.print && displays && mcp::open_browser(link, kBrowserWait)) {
    return print_text(opened_text(access)) ? kExitOk : kExitFailure;
  }
  // The link is a secret: a file or a log gets it on request alone.
  if (!options.print && !stdout_is_terminal()) {
    complain({"The console cannot be opened.",
              displays ? "xdg-open, which opens a browser, is not installed or has failed."
                       : "There is no display.",
              "`parley open --print` prints the link, which contains the token."});
    return kExitFailure;
  }
  return print_text(link + "\n") ? kExitOk : kExitFailure;
}

}  // namespace parley::app
