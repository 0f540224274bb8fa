// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "agents/mcp/settings.h"

namespace parley::mcp {

struct AskOptions {
  std::string question;              // "-": all of stdin
  std::vector<std::string> options;  // predefined answers; a free text is allowed as well
  int timeout_s = 600;               // 1 to 86400
  std::string project;               // empty: the working directory
  bool json = false;                 // one JSON object instead of the text
  bool show_status = false;      // writes a status line to `err` while waiting; only for a terminal
  bool out_is_terminal = false;  // makes hidden characters of the answer visible
  ServerSettings server;
  std::string config_file;  // empty: searched in the usual places
  std::string data;         // parley's data directory; empty: from the environment
};

// The exit codes of `parley ask`.
enum class AskExit : int {
  answered = 0,
  other = 1,
  bad_usage = 2,
  timed_out = 3,
  cancelled = 4,  // by a person, by SIGINT (Ctrl-C) or by SIGTERM
  unreachable = 5,
};

// `parley ask`: asks a person and writes the answer's text, with a line break, to `out`, or the
// reason for a missing answer to `err`. With options the text is the chosen label as it was given,
// or the person's own words, in whatever form the client sends it (base/core/answer_text.h). Hidden
// characters are made visible on `err`, and on `out` at a terminal (base/core/visible_text.h).
// Gives up after kFirstContact if no server was reached; a server that has received the question is
// awaited until the timeout. Returns an AskExit.
int run_ask(const AskOptions& options, std::istream& in, std::ostream& out, std::ostream& err);

// Limit (agentassistant-mcp and parley ask): first contact of `parley ask`. Reached: status 5.
inline constexpr core::Millis kFirstContact = std::chrono::seconds(5);
// Limit (agentassistant-mcp and parley ask): question of `parley ask`. Reached: status 2.
inline constexpr std::size_t kMaxQuestionBytes = 1U << 20U;

}  // namespace parley::mcp
