// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/http_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/core/time_text.h"

namespace parley::net {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// "0.5" -> 500. At most three digits behind the point (RFC 9110 section 12.4.2).
int parse_quality(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return 0;
  if (text.size() > 1 && text[1] != '.') return 0;
  int value = (text[0] - '0') * 1000;
  int weight = 100;
  for (const char c : text.substr(std::min<std::size_t>(2, text.size()))) {
    if (!is_digit(c)) return 0;
    value += (c - '0') * weight;
    weight /= 10;
  }
  return std::min(value, 1000);
}

ListItem parse_item(std::string_view text) {
  ListItem item;
  std::size_t end = std::min(text.find(';'), text.size());
  item.token = trim(text.substr(0, end));
  while (end < text.size()) {
    text.remove_prefix(end + 1);
    end = std::min(text.find(';'), text.size());
    const std::string_view parameter = trim(text.substr(0, end));
    const std::size_t equals = parameter.find('=');
    if (equals == std::string_view::npos) continue;
    if (equals_ignoring_case(trim(parameter.substr(0, equals)), "q")) {
      item.quality = parse_quality(trim(parameter.substr(equals + 1)));
    }
  }
  return item;
}

}  // namespace

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_token_char(char c) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  const char small = lower(c);
  return (small >= 'a' && small <= 'z') || is_digit(c) || kOthers.find(c) != std::string_view::npos;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_bad_text(char c) { return is_control(c) && c != '\t'; }

void each_list_item(std::string_view value, const std::function<void(const ListItem&)>& visit) {
  std::size_t at = 0;
  while (at < value.size()) {
    const std::size_t end = std::min(value.find(',', at), value.size());
    const ListItem item = parse_item(value.substr(at, end - at));
    if (!item.token.empty()) visit(item);
    at = end + 1;
  }
}

std::string_view reason_phrase(int status) {
  static constexpr std::array<std::pair<int, std::string_view>, 44> kPhrases = {{
      {100, "Continue"},
      {101, "Switching Protocols"},
      {200, "OK"},
      {201, "Created"},
      {202, "Accepted"},
      {204, "No Content"},
      {206, "Partial Content"},
      {301, "Moved Permanently"},
      {302, "Found"},
      {303, "See Other"},
      {304, "Not Modified"},
      {307, "Temporary Redirect"},
      {308, "Permanent Redirect"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {410, "Gone"},
      {411, "Length Required"},
      {412, "Precondition Failed"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {416, "Range Not Satisfiable"},
      {417, "Expectation Failed"},
      {421, "Misdirected Request"},
      {422, "Unprocessable Content"},
      {425, "Too Early"},
      {426, "Upgrade Required"},
      {428, "Precondition Required"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {499, "Client Closed Request"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {502, "Bad Gateway"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
      {505, "HTTP Version Not Supported"},
      {507, "Insufficient Storage"},
  }};
  for (const auto& [code, phrase] : kPhrases) {
    if (code == status) return phrase;
  }
  return "Unknown";
}

}  // namespace parley::net
