// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parley::bench {

// A minimal relay from a model to front ends, as the lower bound of the cost of a piece: one epoll,
// one recv and one send for a piece; a second thread commits the pieces as rows of `folder`/bare.db
// every 50 ms. The text of a piece is found by its name, not parsed; no sessions, no limits, no
// time-outs. Supports only the HTTP and WebSocket features that chat_bench uses. Prints its port on
// a line of standard output and serves until it is killed.
[[noreturn]] void serve_bare_chats(const std::string& folder, const std::string& model_url);

}  // namespace parley::bench
