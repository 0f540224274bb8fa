// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// JSON-RPC 2.0 in the form of lines of stdin and stdout. Pure functions: no I/O, no state.
namespace parley::mcp {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;

// Limits of one line, in bytes, and of one batch, in messages.
// Limit (MCP over HTTP): one line of JSON-RPC of `agentassistant-mcp`. Reached: -32600.
inline constexpr std::size_t kMaxLineBytes = 16U << 20U;
// Limit (MCP over HTTP): messages in a batch of JSON-RPC. Reached: -32600.
inline constexpr std::size_t kMaxBatch = 100;

// One message of a line.
struct RpcMessage {
  enum class Kind : std::uint8_t {
    request,       // has an id: must be answered once
    notification,  // has no id: never answered
    response,      // an answer to a request of this side
    invalid,       // must be answered with error_code and error_text
  };
  Kind kind = Kind::invalid;
  // The id as the sender wrote it, for example `"a"`, `7` or `1.50`. "null" if it is unknown.
  std::string id = "null";
  std::string method;
  boost::json::value params;  // null when absent; of a response: its result, null for an error
  int error_code = 0;
  std::string error_text;  // of a response: the other side's words, if it is an error
};

struct RpcLine {
  // True if the line is an array: its answers must be sent in one array.
  bool batch = false;
  std::vector<RpcMessage> messages;
};

// Parses one line (without its end). Never fails: a fault becomes a message of kind `invalid`.
// A blank line has no messages. Strict RFC 8259, UTF-8, at most 64 levels deep.
RpcLine parse_rpc_line(std::string_view line);

// A canonical form of an id: equal for equal ids, independent of their escapes.
std::string rpc_id_key(std::string_view id);
// Like rpc_id_key(), for a parsed id, for example `requestId` of a cancellation. Empty if the value
// cannot be an id.
std::string rpc_id_value_key(const boost::json::value& id);

// One answer or notification, without a line end. `id`, `result`, `params` and `data` are JSON.
std::string rpc_result(std::string_view id, std::string_view result);
std::string rpc_error(std::string_view id, int code, std::string_view message,
                      std::string_view data = {});
std::string rpc_notification(std::string_view method, std::string_view params);

}  // namespace parley::mcp
