// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "agents/setup/json_tree.h"
#include "agents/setup/text_diff.h"
#include "agents/setup/text_lines.h"
#include "base/core/ascii.h"

namespace parley::setup {
namespace {

constexpr std::string_view kMask = "\"***\"";

bool is_secret_name(std::string_view name) {
  constexpr std::array<std::string_view, 9> kWords = {"token",      "key",    "password",
                                                      "passwd",     "secret", "authorization",
                                                      "credential", "cookie", "bearer"};
  const std::string lower = core::lowered(name);
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

using Spans = std::vector<std::pair<std::size_t, std::size_t>>;

// Adds the spans of all texts and numbers in a value.
void take_all(const JsonNode& node, Spans& spans) {
  if (node.items.empty() && node.kind != JsonKind::object && node.kind != JsonKind::array) {
    spans.emplace_back(node.begin, node.end);
  }
  for (const JsonItem& item : node.items) take_all(item.value, spans);
}

void take_secrets(std::string_view text, const JsonNode& node, Spans& spans) {
  bool is_after_flag = false;
  for (const JsonItem& item : node.items) {
    const bool is_text = item.value.kind == JsonKind::string;
    const std::string_view raw = text.substr(item.value.begin, item.value.end - item.value.begin);
    const bool is_flag = is_text && raw.starts_with("\"-") && is_secret_name(raw);
    const bool has_value = is_flag && raw.find('=') != std::string_view::npos;
    const bool is_header = is_text && core::lowered(raw).find("bearer ") != std::string::npos;
    if (is_secret_name(item.name) || is_after_flag || has_value || is_header) {
      take_all(item.value, spans);
    } else {
      take_secrets(text, item.value, spans);
    }
    is_after_flag = node.kind == JsonKind::array && is_flag && !has_value;
  }
}

std::string masked_line(const std::string& line) {
  const std::size_t sign = line.find_first_of(":=");
  if (sign == std::string::npos || !is_secret_name(line)) return line;
  const std::size_t end = line.find_last_not_of("\r\n");
  if (end == std::string::npos || core::trimmed(line.substr(sign + 1)).empty()) return line;
  return line.substr(0, sign + 1) + " " + std::string(kMask) + line.substr(end + 1);
}

}  // namespace

std::string masked_text(std::string_view text) {
  const core::Result<JsonNode> tree = parse_json_tree(text);
  std::string out;
  if (!tree) {
    for (const std::string& line : lines_of(text)) out += masked_line(line);
    return out;
  }
  Spans spans;
  take_secrets(text, *tree, spans);
  std::size_t at = 0;
  for (const auto& [begin, end] : spans) {
    out.append(text.substr(at, begin - at)).append(kMask);
    at = end;
  }
  return out.append(text.substr(at));
}

}  // namespace parley::setup
