// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/server/settings.h"

namespace parley::app {

// Lists, shows or deletes conversations with agents (the runs of one session) on the server of this
// data directory. If no server is running, one is started for the duration of the command. Exit
// codes: 0; 1 no such session, or it cannot be deleted now.
int list_run_sessions(const Settings& settings, bool json);
int show_run_session(const Settings& settings, const std::string& id, bool json);
int delete_run_session(const Settings& settings, const std::string& id, bool json);

}  // namespace parley::app
