// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parley::bench {

inline constexpr const char* kStreamToken = "bench-token";

// The server of runs, put together as `parley serve` does it, with a model of its own in place of
// the configured ones: a shard a processor, runs, the SQLite store, /v1 and /loom/ws. Prints its
// port and serves until it is killed. The gate is the file `folder`/gate.
int serve_streams(const std::string& folder);

}  // namespace parley::bench
