// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/net/http/http.h"
#include "base/net/websocket/websocket_deflate.h"

namespace parley::net {

// The server's side of an accepted opening handshake (RFC 6455 section 4.2.2).
struct HandshakeAnswer {
  std::string accept;       // Sec-WebSocket-Accept
  std::string subprotocol;  // the chosen one; empty: none
  std::string extensions;   // Sec-WebSocket-Extensions; empty: none
  std::optional<DeflateParams> deflate;

  // The whole head, "HTTP/1.1 101 Switching Protocols" to the empty line. `extra`: further complete
  // field lines, each with CR LF.
  std::string head(std::string_view extra = {}) const;
};

// True if a request asks for an upgrade to WebSocket.
bool wants_websocket(const Request& request);

// Checks the opening handshake. Refusals: 400 (a field is missing or wrong), 405 (not GET), 426
// with Sec-WebSocket-Version (another version). The caller checks Origin.
tl::expected<HandshakeAnswer, Response> answer_handshake(const Request& request,
                                                         const WebSocketOptions& options);

// The Sec-WebSocket-Accept that belongs to a Sec-WebSocket-Key.
std::string websocket_accept(std::string_view key);

}  // namespace parley::net
