// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/source_map.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace parley::conformance {
namespace {

// Walks over valid JSON and records the line of every value.
class SourceVisitor {
 public:
  SourceVisitor(std::string_view text, std::map<std::string, int, std::less<>>& lines)
      : text_(text), lines_(lines) {}

  void value(const std::string& path) {
    skip_space();
    lines_.emplace(path, line_);
    if (peek() == '{') {
      members(path, '}', true);
    } else if (peek() == '[') {
      members(path, ']', false);
    } else if (peek() == '"') {
      string();
    } else {
      while (at_ < text_.size() &&
             std::string_view(",]} \t\r\n").find(text_[at_]) == std::string_view::npos) {
        ++at_;
      }
    }
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n,:").find(text_[at_]) != std::string_view::npos) {
      if (text_[at_] == '\n') ++line_;
      ++at_;
    }
  }

  // Returns the string without its quotes; escapes are not decoded.
  std::string_view string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    const std::string_view inside = text_.substr(begin, at_ - begin);
    ++at_;
    return inside;
  }

  std::string key() {
    const std::string quoted = "\"" + std::string(string()) + "\"";
    const std::string plain(boost::json::parse(quoted).as_string());
    std::string escaped;
    for (const char c : plain) {
      if (c == '~' || c == '/') {
        escaped += c == '~' ? "~0" : "~1";
      } else {
        escaped.push_back(c);
      }
    }
    return escaped;
  }

  void members(const std::string& path, char end, bool keyed) {
    ++at_;
    for (std::size_t i = 0;; ++i) {
      skip_space();
      if (peek() == end || peek() == '\0') break;
      std::string inner = path + "/";
      inner += keyed ? key() : std::to_string(i);
      value(inner);
    }
    ++at_;
  }

  std::string_view text_;
  std::map<std::string, int, std::less<>>& lines_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

SourceMap::SourceMap(std::string_view text) { SourceVisitor(text, lines_).value(""); }

int SourceMap::line_of(std::string_view pointer) const {
  while (true) {
    const auto found = lines_.find(pointer);
    if (found != lines_.end()) return found->second;
    const std::size_t slash = pointer.rfind('/');
    if (slash == std::string_view::npos) return 1;
    pointer = pointer.substr(0, slash);
  }
}

}  // namespace parley::conformance
