// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/formatter.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "app/server/settings.h"
#include "base/core/clock.h"

namespace parley::app {

// Limit of log lines queued for stderr; beyond it the oldest line is dropped.
// Limit (The log of a server): lines that stderr has not taken. Reached: the oldest are dropped,
// counted in `parley_log_lines_dropped`, and the log says how many.
inline constexpr std::size_t kLogQueueLines = 4'096;
// Longest wait for the queued lines at the end of the program.
// Limit (The log of a server): wait for stderr at the end of the process. Reached: the process ends
// without them.
inline constexpr core::Millis kLogPatience{2'000};

// Sends the log of the whole program to stderr: as text, or as one JSON object per line
// ({"time","level","message","thread"}, time in RFC 3339). Hidden characters of a message, line
// breaks included, are made visible, so that a message cannot imitate another line. Each line is
// written before the call that logs it returns.
void set_up_logging(const std::string& level, bool json, bool colour);
// Like set_up_logging(), for a server: a thread of the log writes the lines, so that an unread
// stderr blocks no other thread. Call before other threads start; call end_server_log() at the end.
void start_server_log(const std::string& level, bool json, bool colour);
struct LogState {
  std::uint64_t dropped = 0;  // lines since the start
  std::size_t waiting = 0;    // lines
};
// The state of a server's log. Thread-safe.
LogState log_state();
// Writes the queued lines of a server's log and returns `status`. Call when no thread logs any
// more. Ends the process with `status` if the lines are not written within kLogPatience.
int end_server_log(int status);
// Sets up the log for a command with output of its own, as the settings say; the level "info"
// becomes "warn".
void set_up_command_logging(const Settings& settings);

// The two formats of log lines, for a sink.
std::unique_ptr<spdlog::formatter> make_json_formatter();
std::unique_ptr<spdlog::formatter> make_text_formatter();

}  // namespace parley::app
