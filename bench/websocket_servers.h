// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parley::bench {

// Both servers print their port on a line of standard output and serve until they are killed.

// Parley's whole stack on one thread: /echo answers each message, a message on /publish goes to
// every connection on /fan.
int serve_parley();
// A bare epoll echo on every path: the lower bound of the cost of a WebSocket echo. No limits, no
// fragments, no control frames, no UTF-8 check, no time-outs.
int serve_bare();

}  // namespace parley::bench
