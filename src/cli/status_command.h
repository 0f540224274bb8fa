// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/agent_set_up.h"
#include "cli/server_state.h"
#include "core/clock.h"
#include "server/settings.h"

namespace parley::app {

// `parley status`: the server of the data directory, what waits there, and the agents of this
// computer. Exit codes: 0 it runs and answers, 5 it does not.
int show_status(const Settings& settings, bool json);

// The text of `parley status` and its JSON, one object.
std::string status_text(const ServerState& state, const std::vector<AgentSetUp>& agents,
                        const std::string& data, core::WallTime now);
std::string status_json(const ServerState& state, const std::vector<AgentSetUp>& agents,
                        const std::string& data);

struct OpenOptions {
  bool print = false;  // the link instead of a browser
};
// `parley open`: opens the console of the running server, signed in, in the browser; without a
// display, or if no browser starts, prints the link, which contains the token. Exit codes: 0, 5 no
// server runs.
int open_console(const Settings& settings, const OpenOptions& options);

}  // namespace parley::app
