// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/web/web_page.h"

#include "base/core/ascii.h"
#include "runtime/tool/web/html_text.h"
#include "runtime/tool/web/text_charset.h"

namespace parley::tool {
namespace {

bool is_text(std::string_view type) {
  return type.empty() || type.starts_with("text/") || type.ends_with("json") ||
         type.ends_with("xml") || type.find("javascript") != std::string_view::npos ||
         type.find("yaml") != std::string_view::npos ||
         type.find("form-url") != std::string_view::npos;
}

bool is_html(std::string_view type, std::string_view body) {
  if (type == "text/html" || type == "application/xhtml+xml") return true;
  if (!type.empty()) return false;
  const std::string head = core::lowered(body.substr(0, 512));
  return head.find("<html") != std::string::npos ||
         head.find("<!doctype html") != std::string::npos;
}

}  // namespace

std::string readable_body(std::string_view content_type, std::string_view body) {
  const std::string type =
      core::lowered(core::trimmed(content_type.substr(0, content_type.find(';'))));
  if (is_text(type)) {
    const bool markup = is_html(type, body);
    const std::string text = text_of_body(body, content_type, markup || type.ends_with("xml"));
    // Decoded text has no NUL.
    if (text.find('\0') == std::string::npos) return markup ? html_to_text(text) : text;
  }
  return "[no text: " + (type.empty() ? std::string("unknown type") : type) + ", " +
         std::to_string(body.size()) + " bytes]";
}

}  // namespace parley::tool
