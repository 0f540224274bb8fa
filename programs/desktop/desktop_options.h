// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace parley::desktop {

struct DesktopOptions {
  std::string server;      // the only server, without settings; empty: those of the settings
  std::string token_file;  // file with the token of `server`
  bool hidden = false;     // the program starts in the tray
  bool quit = false;       // the running program ends
  bool print_state = false;
  bool devtools = false;
  bool help = false;
  bool version = false;
};

// Reads the flags of parley-desktop, with one dash or two. Errors: `invalid_argument`.
core::Result<DesktopOptions> parse_desktop_flags(const std::vector<std::string>& arguments);

std::string_view desktop_help();

// The first line of the file. Errors: `not_found`, `invalid_argument` (no token in it). No message
// contains the token.
core::Result<std::string> read_token_file(const std::string& file);

}  // namespace parley::desktop
