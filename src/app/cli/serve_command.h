// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/server/config.h"

namespace parley::app {

struct ServeOptions {
  bool welcome = false;  // print the welcome even if stderr is not a terminal
  bool open = false;     // open the page in the browser
};

// `parley serve`: runs the server until SIGTERM or SIGINT. Prints one line, "ready URL", on stdout
// when it accepts connections. Returns the exit code.
int serve(const Configuration& config, const ServeOptions& options);

// Prints each problem to stderr, then one piece of advice for all of them.
void complain_about(const std::vector<Problem>& problems);

}  // namespace parley::app
