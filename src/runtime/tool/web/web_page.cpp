// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/web/web_page.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/ascii.h"
#include "core/utf8.h"
#include "core/utf8_repair.h"
#include "runtime/tool/web/html_text.h"

namespace parley::tool {
namespace {

// Windows-1252 from 0x80 to 0x9f; what it leaves free stays the control character.
constexpr std::array<std::string_view, 32> kWindows1252 = {
    "\u20ac", "\u0081", "\u201a", "\u0192", "\u201e", "\u2026", "\u2020", "\u2021",
    "\u02c6", "\u2030", "\u0160", "\u2039", "\u0152", "\u008d", "\u017d", "\u008f",
    "\u0090", "\u2018", "\u2019", "\u201c", "\u201d", "\u2022", "\u2013", "\u2014",
    "\u02dc", "\u2122", "\u0161", "\u203a", "\u0153", "\u009d", "\u017e", "\u0178"};

std::string from_windows_1252(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else if (byte < 0xa0) {
      out += kWindows1252.at(byte - 0x80U);
    } else {
      out += static_cast<char>(0xc0U | byte >> 6U);
      out += static_cast<char>(0x80U | (byte & 0x3fU));
    }
  }
  return out;
}

bool is_text(std::string_view type) {
  return type.empty() || type.starts_with("text/") || type.ends_with("json") ||
         type.ends_with("xml") || type.find("javascript") != std::string_view::npos ||
         type.find("yaml") != std::string_view::npos ||
         type.find("form-url") != std::string_view::npos;
}

bool is_html(std::string_view type, const std::string& body) {
  if (type == "text/html" || type == "application/xhtml+xml") return true;
  if (!type.empty()) return false;
  const std::string head = core::lowered(std::string_view(body).substr(0, 512));
  return head.find("<html") != std::string::npos ||
         head.find("<!doctype html") != std::string::npos;
}

}  // namespace

std::string readable_body(std::string_view content_type, const std::string& body) {
  const std::string whole = core::lowered(content_type);
  std::string type = whole.substr(0, whole.find(';'));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  const bool binary = body.find('\0') != std::string::npos;
  if (!is_text(type) || binary) {
    return "[no text: " + (type.empty() ? std::string("unknown type") : type) + ", " +
           std::to_string(body.size()) + " bytes]";
  }
  const bool latin = whole.find("charset=iso-8859-1") != std::string::npos ||
                     whole.find("charset=\"iso-8859-1") != std::string::npos ||
                     whole.find("windows-1252") != std::string::npos;
  const std::string text = latin && !core::is_utf8(body) ? from_windows_1252(body) : core::repaired_utf8(body);
  return is_html(type, body) ? html_to_text(text) : text;
}

}  // namespace parley::tool
