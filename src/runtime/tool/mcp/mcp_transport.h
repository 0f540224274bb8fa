// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace parley::tool {

// How messages reach an MCP server and come back. Everything is on one scheduler, the home of the
// client. No event comes inside a call, and no call may destroy this from within an event.
class McpTransport {
 public:
  struct Events {
    // One JSON text: a message, or an array of them.
    std::function<void(std::string_view json)> on_message;
    // The answer to this request will not come; the server may still be there.
    std::function<void(std::int64_t request, std::string why)> on_lost;
    // Nothing more will come; at most once.
    std::function<void(std::string why)> on_closed;
  };

  McpTransport() = default;
  McpTransport(const McpTransport&) = delete;
  McpTransport& operator=(const McpTransport&) = delete;
  virtual ~McpTransport() = default;

  virtual void open(Events events) = 0;
  // `request`: the id of the request that this is; 0 for a notification or an answer.
  virtual void send(std::string json, std::int64_t request) = 0;
  // The answer to this request is not waited for any longer.
  virtual void drop(std::int64_t request) = 0;
  // The server has agreed to this version and is ready.
  virtual void agreed(const std::string& protocol_version) = 0;
  // Ends it; no event comes any more.
  virtual void close() = 0;
};

// What one message may have at most; a larger one is as good as none.
inline constexpr std::size_t kMaxMcpMessage = 16U << 20U;

}  // namespace parley::tool
