// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/net/loop/stream.h"

namespace parley::agent_client {

// Address of a relay.
struct ServerUrl {
  net::Endpoint endpoint;
  std::string authority;           // for the Host field: "127.0.0.1:22080"
  std::string path = "/agent/ws";  // of the WebSocket
  bool secure = false;             // https, wss

  // Parses "http://127.0.0.1:22080", "wss://example.org", "ws://[::1]:80/agent/ws". Without a path
  // the protocol's is used. Errors: `invalid_argument`.
  static core::Result<ServerUrl> parse(std::string_view url);
};

}  // namespace parley::agent_client
