// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/formatter.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/clock.h"
#include "server/settings.h"

namespace parley::app {

// Lines that a server's log holds for a stderr that does not take them; older ones are dropped
// then.
inline constexpr std::size_t kLogQueueLines = 4'096;
// How long the end of the program waits for those.
inline constexpr core::Millis kLogPatience{2'000};

// Sends the log of the whole program to stderr: as text, or as one JSON object a line
// ({"time","level","message","thread"}, time in RFC 3339). Hidden characters of a message, line
// breaks included, are written out, so that no message looks like a line of its own or like another
// one. Each line is written before the call that logs it returns.
void set_up_logging(const std::string& level, bool json, bool colour);
// The same for a server: a thread of the log writes the lines, so that no other thread waits for a
// stderr that nobody reads. Call it before the threads start, and end_server_log() at the end.
void start_server_log(const std::string& level, bool json, bool colour);
struct LogState {
  std::uint64_t dropped = 0;  // lines since the start
  std::size_t waiting = 0;    // lines
};
// The state of a server's log. Any thread.
LogState log_state();
// Writes out a server's log, after the last line of any thread, and returns `status`. Ends the
// process with it if stderr takes nothing for kLogPatience.
int end_server_log(int status);
// For a command with output of its own: as the settings say, but not what a server tells of its
// day.
void set_up_command_logging(const Settings& settings);

// The two forms, for a sink.
std::unique_ptr<spdlog::formatter> make_json_formatter();
std::unique_ptr<spdlog::formatter> make_text_formatter();

}  // namespace parley::app
