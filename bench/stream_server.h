// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parley::bench {

inline constexpr const char* kStreamToken = "bench-token";

// The server of runs, assembled as in `parley serve`, with its own model in place of the configured
// ones: a shard per processor, runs, the SQLite store, /v1 and /loom/ws. Prints its port and serves
// until it is killed. The gate is the file `folder`/gate.
int serve_streams(const std::string& folder);

}  // namespace parley::bench
