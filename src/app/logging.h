// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/formatter.h>

#include <memory>
#include <string>

#include "app/settings.h"

namespace parley::app {

// Sends the log of the whole program to stderr: as text, or as one JSON object a line
// ({"time","level","message","thread"}, time in RFC 3339). Call it before the threads start.
void set_up_logging(const std::string& level, bool json, bool colour);
// For a command with output of its own: as the settings say, but not what a server tells of its
// day.
void set_up_command_logging(const Settings& settings);

// The JSON form, for a sink.
std::unique_ptr<spdlog::formatter> make_json_formatter();

}  // namespace parley::app
