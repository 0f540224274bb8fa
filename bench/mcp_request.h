// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace parley::bench {

// A question by MCP over HTTP, in revision 2026-07-28, as it is sent.
inline std::string mcp_request(std::uint16_t port, const std::string& token, int id,
                               int timeout_s) {
  const std::string body = R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                           R"(,"method":"tools/call","params":{"name":"ask_question","arguments":)"
                           R"({"project_directory":"/bench","question":"Go on?","timeout":)" +
                           std::to_string(timeout_s) +
                           R"(},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                           R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
  return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
         "\r\nAuthorization: Bearer " + token +
         "\r\nContent-Type: application/json\r\n"
         "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
         "Mcp-Method: tools/call\r\nMcp-Name: ask_question\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace parley::bench
