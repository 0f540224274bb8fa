// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/mcp_result.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <string_view>

#include "runtime/tool/output_text.h"

namespace parley::tool {
namespace {

using boost::json::object;
using boost::json::value;

std::string text_of(const object& from, std::string_view member) {
  const value* found = from.if_contains(member);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::string said_of(const object& piece) {
  const std::size_t bytes = text_of(piece, "data").size() / 4 * 3;
  return "[" + text_of(piece, "type") + ": " + text_of(piece, "mimeType") + ", about " +
         std::to_string(bytes) + " bytes; it cannot be shown to you]";
}

std::string words_of(const object& piece) {
  const std::string type = text_of(piece, "type");
  if (type == "text") return text_of(piece, "text");
  if (type == "resource_link") {
    return "[resource: " + text_of(piece, "uri") + " " + text_of(piece, "name") + "]";
  }
  const value* resource = piece.if_contains("resource");
  if (type == "resource" && resource != nullptr && resource->is_object()) {
    const object& inside = resource->get_object();
    const std::string text = text_of(inside, "text");
    return text.empty()
               ? "[resource: " + text_of(inside, "uri") + ", " + text_of(inside, "mimeType") + "]"
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
