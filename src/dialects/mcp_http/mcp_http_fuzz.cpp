// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the bodies and fields of HTTP requests: each gets an answer of its own, and the
// world stays usable.
#include <cstdint>
#include <cstdlib>

#include "tests/support/mcp_http/mcp_http_world.h"

namespace {

using parley::mcp_http::CallerPtr;
using parley::mcp_http::McpHttpWorld;

// Takes the text up to the next 0xFF.
std::string_view take(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\xff'), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

std::string one_line(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  McpHttpWorld world;
  const CallerPtr begun = world.send(
      "POST",
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}})");
  const std::string session(begun->response->headers.get("Mcp-Session-Id"));
  for (int i = 0; i < 4 && !rest.empty(); ++i) {
    const std::string body(take(rest));
    std::vector<std::pair<std::string, std::string>> fields;
    const std::string_view kind = take(rest);
    if (kind.starts_with('s')) fields.emplace_back("Mcp-Session-Id", session);
    for (const char* name : {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-ID"}) {
      if (const std::string value = one_line(take(rest)); !value.empty()) {
        fields.emplace_back(name, value);
      }
    }
    const std::string method = kind.ends_with('g')   ? "GET"
                               : kind.ends_with('d') ? "DELETE"
                                                     : "POST";
    const CallerPtr caller = world.send(method, body, fields);
    world.advance(parley::core::Millis(300));
    if (!caller->response) std::abort();
    if (i == 1) caller->gone();
  }
  const CallerPtr last = world.send("POST", R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})",
                                    {{"Mcp-Session-Id", "0-none"}});
  if (!last->response || last->response->status != 404) std::abort();
  return 0;
}
