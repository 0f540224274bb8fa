// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/mcp/mcp_result.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <string_view>

#include "base/core/json_member.h"
#include "runtime/tool/output_text.h"

namespace parley::tool {
namespace {

using boost::json::object;
using boost::json::value;

std::string said_of(const object& piece) {
  const std::size_t bytes = core::string_member(piece, "data").size() / 4 * 3;
  return "[" + core::string_member(piece, "type") + ": " + core::string_member(piece, "mimeType") +
         ", about " + std::to_string(bytes) + " bytes; it cannot be shown to you]";
}

std::string words_of(const object& piece) {
  const std::string type = core::string_member(piece, "type");
  if (type == "text") return core::string_member(piece, "text");
  if (type == "resource_link") {
    return "[resource: " + core::string_member(piece, "uri") + " " +
           core::string_member(piece, "name") + "]";
  }
  const value* resource = piece.if_contains("resource");
  if (type == "resource" && resource != nullptr && resource->is_object()) {
    const object& inside = resource->get_object();
    const std::string text = core::string_member(inside, "text");
    return text.empty() ? "[resource: " + core::string_member(inside, "uri") + ", " +
                              core::string_member(inside, "mimeType") + "]"
                        : text;
  }
  return said_of(piece);
}

}  // namespace

ToolResult read_mcp_result(const object& result) {
  ToolResult out;
  const value* is_error = result.if_contains("isError");
  out.is_error = is_error != nullptr && is_error->is_bool() && is_error->get_bool();
  const value* content = result.if_contains("content");
  if (content != nullptr && content->is_array()) {
    for (const value& piece : content->get_array()) {
      if (!piece.is_object()) continue;
      if (!out.content.empty()) out.content += '\n';
      out.content += words_of(piece.get_object());
    }
  }
  const value* structured = result.if_contains("structuredContent");
  if (out.content.empty() && structured != nullptr && !structured->is_null()) {
    out.content = boost::json::serialize(*structured);
  }
  if (out.content.empty()) out.content = "(no output)";
  out.content = cut_text(out.content, kMaxMcpText);
  return out;
}

}  // namespace parley::tool
