// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/net/http/http.h"
#include "base/net/websocket/websocket.h"

namespace parley::net {

// The way of a client to the node of the cluster that is the home of its owner, for those whose
// owner is known only when their first message has been read. Any thread; must not block.
class HomePassage {
 public:
  HomePassage() = default;
  HomePassage(const HomePassage&) = delete;
  HomePassage& operator=(const HomePassage&) = delete;
  virtual ~HomePassage() = default;

  // False: this node is the home, or none is known, and nothing has happened. True: the request is
  // taken, and is answered.
  virtual bool pass_on(std::string_view owner, Request& request, Responder& responder) = 0;
  // The same for a WebSocket, whose handler is destroyed by it. The home gets `handshake`, the
  // binary messages, and all that the client has sent behind them. Only as the last act of a
  // handler's call.
  virtual bool pass_on(std::string_view owner, const Request& handshake,
                       const std::vector<std::string>& messages, WebSocket& socket) = 0;
};

}  // namespace parley::net
