// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace parley::tool {

// Carries messages to and from an MCP server. All calls and events are on one scheduler, the home
// of the client. No event is called inside a call, and no event handler may destroy this object.
class McpTransport {
 public:
  struct Events {
    // One JSON text: a message, or an array of them.
    std::function<void(std::string_view json)> on_message;
    // The answer to this request will not arrive; the server may still be running.
    std::function<void(std::int64_t request, std::string why)> on_lost;
    // The transport is closed and no further event follows; called at most once.
    std::function<void(std::string why)> on_closed;
  };

  McpTransport() = default;
  McpTransport(const McpTransport&) = delete;
  McpTransport& operator=(const McpTransport&) = delete;
  virtual ~McpTransport() = default;

  virtual void open(Events events) = 0;
  // `request`: id of the request in `json`; 0 for a notification or an answer.
  virtual void send(std::string json, std::int64_t request) = 0;
  // The caller no longer waits for the answer to this request.
  virtual void drop(std::int64_t request) = 0;
  // The server has agreed to this version and is ready.
  virtual void agreed(const std::string& protocol_version) = 0;
  // Closes the transport; no event follows.
  virtual void close() = 0;
};

// Limit of one message in bytes; a larger one is dropped.
// Limit (Tools, bytes): a message of an MCP server. Reached: dropped.
inline constexpr std::size_t kMaxMcpMessage = 16U << 20U;

}  // namespace parley::tool
