// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/json_tree.h"

#include <algorithm>
#include <utility>

#include "base/core/json_text.h"
#include "base/core/result.h"

namespace parley::setup {
namespace {

class TreeParser {
 public:
  explicit TreeParser(std::string_view text) : text_(text) {}

  const JsonExtras& extras() const { return extras_; }

  core::Result<JsonNode> parse() {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    PARLEY_TRY_VOID(skip_blanks());
    PARLEY_TRY(JsonNode node, value(0));
    PARLEY_TRY_VOID(skip_blanks());
    if (at_ != text_.size()) return fault("text behind the value");
    return node;
  }

 private:
  tl::unexpected<core::Error> fault(const std::string& what) const {
    return core::fail(core::Code::invalid_argument,
                      "line " + std::to_string(line_here()) + ": " + what);
  }

  std::size_t line_here() const {
    const auto breaks = std::count(text_.begin(), text_.begin() + static_cast<long>(at_), '\n');
    return static_cast<std::size_t>(breaks) + 1;
  }

  void note(std::size_t& line) const {
    if (line == 0) line = line_here();
  }

  bool at_end() const { return at_ >= text_.size(); }
  char here() const { return at_end() ? '\0' : text_[at_]; }

  core::Result<void> skip_blanks() {
    while (!at_end()) {
      const char c = here();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else if (text_.substr(at_).starts_with("//")) {
        note(extras_.comment_line);
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_).starts_with("/*")) {
        note(extras_.comment_line);
        const std::size_t close = text_.find("*/", at_ + 2);
        if (close == std::string_view::npos) return fault("a comment without an end");
        at_ = close + 2;
      } else {
        break;
      }
    }
    return {};
  }

  core::Result<JsonNode> value(std::size_t depth) {
    if (depth > kMaxJsonDepth) return fault("nested too deeply");
    if (here() == '{' || here() == '[') return container(depth);
    JsonNode node;
    node.begin = at_;
    if (here() == '"') {
      node.kind = JsonKind::string;
      PARLEY_TRY_VOID(skip_string());
    } else {
      const auto is_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '+' || c == '.';
      };
      while (!at_end() && is_word(here())) ++at_;
      if (at_ == node.begin) return fault("a value is missing");
    }
    node.end = at_;
    return node;
  }

  core::Result<void> skip_string() {
    for (++at_; !at_end(); ++at_) {
      if (here() == '\n') break;
      if (here() == '"') return ++at_, core::Result<void>();
      if (here() == '\\') ++at_;
    }
    at_ = std::min(at_, text_.size());
    return fault("a text without an end");
  }

  core::Result<JsonNode> container(std::size_t depth) {
    JsonNode node;
    node.kind = here() == '{' ? JsonKind::object : JsonKind::array;
    const char close = here() == '{' ? '}' : ']';
    node.begin = at_++;
    for (bool more = true;;) {
      PARLEY_TRY_VOID(skip_blanks());
      if (here() == close && !at_end()) {
        if (node.comma_at_end) note(extras_.trailing_comma_line);
        break;
      }
      if (!more) return fault("a comma or a bracket is missing");
      PARLEY_TRY(JsonItem item, item_of(node.kind, depth));
      node.items.push_back(std::move(item));
      PARLEY_TRY_VOID(skip_blanks());
      more = here() == ',' && !at_end();
      node.comma_at_end = more;
      if (more) ++at_;
    }
    node.end = ++at_;
    return node;
  }

  core::Result<JsonItem> item_of(JsonKind kind, std::size_t depth) {
    JsonItem item;
    item.begin = at_;
    if (kind == JsonKind::object) {
      if (here() != '"') return fault("a name in quotes is missing");
      PARLEY_TRY_VOID(skip_string());
      item.name = core::decode_json_string(text_.substr(item.begin, at_ - item.begin));
      PARLEY_TRY_VOID(skip_blanks());
      if (here() != ':') return fault("a colon is missing");
      ++at_;
      PARLEY_TRY_VOID(skip_blanks());
    }
    PARLEY_TRY(item.value, value(depth + 1));
    return item;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  JsonExtras extras_;
};

}  // namespace

core::Result<JsonNode> parse_json_tree(std::string_view text, JsonExtras* extras) {
  TreeParser parser(text);
  auto tree = parser.parse();
  if (extras != nullptr) *extras = parser.extras();
  return tree;
}

std::string refused_by(JsonForm form, std::string_view text) {
  JsonExtras extras;
  if (form == JsonForm::tolerant || !parse_json_tree(text, &extras)) return {};
  const auto sentence = [](std::size_t line, const char* thing) {
    return "line " + std::to_string(line) + " has a " + thing;
  };
  if (form == JsonForm::plain && extras.comment_line > 0) {
    return sentence(extras.comment_line, "comment");
  }
  if (extras.trailing_comma_line > 0) {
    return sentence(extras.trailing_comma_line, "comma behind the last item");
  }
  return {};
}

const JsonNode* member_of(const JsonNode& node, std::string_view name) {
  if (node.kind != JsonKind::object) return nullptr;
  const auto found = std::find_if(node.items.rbegin(), node.items.rend(),
                                  [&](const JsonItem& item) { return item.name == name; });
  return found == node.items.rend() ? nullptr : &found->value;
}

std::size_t count_members(const JsonNode& node, std::string_view name) {
  if (node.kind != JsonKind::object) return 0;
  return static_cast<std::size_t>(
      std::count_if(node.items.begin(), node.items.end(),
                    [&](const JsonItem& item) { return item.name == name; }));
}

}  // namespace parley::setup
