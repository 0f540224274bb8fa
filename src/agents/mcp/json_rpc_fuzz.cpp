// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agents/mcp/json_rpc.h"
#include "base/core/line_splitter.h"

namespace {

// For any line, every required answer must be writable and parse again.
void check_line(std::string_view text) {
  for (const parley::mcp::RpcMessage& message : parley::mcp::parse_rpc_line(text).messages) {
    if (message.kind == parley::mcp::RpcMessage::Kind::notification) continue;
    const std::string answer =
        parley::mcp::rpc_error(message.id, message.error_code, message.error_text);
    const parley::mcp::RpcLine again = parley::mcp::parse_rpc_line(answer);
    if (again.messages.size() != 1 ||
        again.messages.front().kind != parley::mcp::RpcMessage::Kind::response) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  parley::core::LineSplitter splitter(4096);
  const auto on_line = [](std::string_view text, bool too_long) {
    if (!too_long) check_line(text);
  };
  splitter.feed(bytes.substr(0, size / 2), on_line);
  splitter.feed(bytes.substr(size / 2), on_line);
  splitter.finish(on_line);
  return 0;
}
