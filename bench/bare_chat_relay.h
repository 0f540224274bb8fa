// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parley::bench {

// The least that the way from a model's byte to a front end can cost: one thread, one epoll, one
// recv and one send for a piece, one append to a file of FOLDER for all pieces of a turn. The text
// of a piece is found by its name, not parsed; no sessions, no limits, no time-outs, nothing
// synced. Speaks as much HTTP and WebSocket as chat_bench does. Prints its port on a line of
// standard output and serves until it is killed.
[[noreturn]] void serve_bare_chats(const std::string& folder, const std::string& model_url);

}  // namespace parley::bench
