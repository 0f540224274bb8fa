// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/json_reading.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "base/core/ascii.h"

namespace parley::agent {
namespace {

namespace json = boost::json;

constexpr int kMaxStarts = 16;  // positions in a text where JSON is tried

std::optional<json::value> parsed(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMaxReadDepth;
  options.allow_comments = true;
  options.allow_trailing_commas = true;
  json::error_code error;
  json::value value = json::parse({text.data(), text.size()}, error, {}, options);
  if (error || (!value.is_object() && !value.is_array())) return std::nullopt;
  return value;
}

// Position of the bracket that closes the first one; skips strings.
std::optional<std::size_t> closing(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<json::value> in_fence(std::string_view text) {
  constexpr std::string_view kFence = "```";
  for (std::size_t open = text.find(kFence); open != std::string_view::npos;) {
    const std::size_t line = text.find('\n', open);
    if (line == std::string_view::npos) break;
    const std::size_t close = text.find(kFence, line);
    const std::string_view block = text.substr(line + 1, close - line - 1);
    if (auto value = parsed(block)) return value;
    if (close == std::string_view::npos) break;
    open = text.find(kFence, close + kFence.size());
  }
  return std::nullopt;
}

}  // namespace

std::optional<json::value> find_json(std::string_view text) {
  text = core::trimmed(text);
  if (auto value = parsed(text)) return value;
  if (auto value = in_fence(text)) return value;
  std::size_t from = 0;
  for (int tries = 0; tries < kMaxStarts; ++tries) {
    const std::size_t start = text.find_first_of("{[", from);
    if (start == std::string_view::npos) break;
    if (const auto end = closing(text.substr(start))) {
      if (auto value = parsed(text.substr(start, *end + 1))) return value;
    }
    from = start + 1;
  }
  return std::nullopt;
}

std::optional<json::object> find_json_object(std::string_view text) {
  std::optional<json::value> value = find_json(text);
  if (!value || !value->is_object()) return std::nullopt;
  return std::move(value->get_object());
}

std::string text_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains({name.data(), name.size()});
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string())
    return std::string(value->get_string().c_str(), value->get_string().size());
  return json::serialize(*value);
}

std::vector<std::string> texts_of(const json::object& object, std::string_view name) {
  std::vector<std::string> texts;
  const json::value* value = object.if_contains({name.data(), name.size()});
  if (value == nullptr || value->is_null()) return texts;
  if (!value->is_array()) {
    texts.push_back(text_of(object, name));
    return texts;
  }
  for (const json::value& item : value->get_array()) {
    if (item.is_string()) {
      texts.emplace_back(item.get_string().c_str(), item.get_string().size());
    } else if (!item.is_null()) {
      texts.push_back(json::serialize(item));
    }
  }
  return texts;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(core::trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace parley::agent
