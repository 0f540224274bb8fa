// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/cli/agent_set_up.h"
#include "app/cli/server_state.h"
#include "app/server/settings.h"
#include "base/core/clock.h"

namespace parley::app {

// `parley status`: the server of the data directory, what waits there, and the agents of this
// computer. Exit codes: 0 it answers, though it may refuse the token of this command; 5 it does
// not.
int show_status(const Settings& settings, bool json);

// The text of `parley status` and its JSON, one object. `agents`: an error if they cannot be looked
// for.
std::string status_text(const ServerState& state,
                        const core::Result<std::vector<AgentSetUp>>& agents,
                        const std::string& data, core::WallTime now);
std::string status_json(const ServerState& state,
                        const core::Result<std::vector<AgentSetUp>>& agents,
                        const std::string& data);

struct OpenOptions {
  bool print = false;  // the link instead of a browser
};
// `parley open`: opens the console of the running server, signed in, in the browser. Without a
// display, or without xdg-open, prints the link, which contains the token, to a terminal alone
// unless it is asked for. Exit codes: 0, 1 nothing was opened or printed, 5 no server runs.
int open_console(const Settings& settings, const OpenOptions& options);

}  // namespace parley::app
