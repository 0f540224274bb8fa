// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/notify/page_text.h"

#include <algorithm>
#include <array>

#include "base/core/html_escaped.h"

namespace parley::api {
namespace {

using core::html_escaped;

constexpr std::string_view kBoldMark = "**";
// Words behind the mark of a fence that say nothing to a person; of another one the line is shown.
constexpr std::array<std::string_view, 5> kFenceWords = {"", "sh", "bash", "diff", "json"};

// The backticks of a line that opens a fence; empty: it opens none.
std::string_view fence_of(std::string_view line) {
  const std::size_t end = std::min(line.find_first_not_of('`'), line.size());
  const bool is_known =
      std::find(kFenceWords.begin(), kFenceWords.end(), line.substr(end)) != kFenceWords.end();
  return end >= 3 && is_known ? line.substr(0, end) : std::string_view();
}

std::string with_spans(std::string_view line) {
  std::string out;
  while (true) {
    const std::size_t open = line.find('`');
    const std::size_t close = open == std::string_view::npos ? open : line.find('`', open + 1);
    if (close == std::string_view::npos || close == open + 1) return out + html_escaped(line);
    out += html_escaped(line.substr(0, open)) + "<code>" +
           html_escaped(line.substr(open + 1, close - open - 1)) + "</code>";
    line.remove_prefix(close + 1);
  }
}

std::string line_html(std::string_view line) {
  const std::size_t end = line.find(":**");
  if (!line.starts_with(kBoldMark) || end == std::string_view::npos) return with_spans(line);
  return "<strong>" + html_escaped(line.substr(kBoldMark.size(), end + 1 - kBoldMark.size())) +
         "</strong>" + with_spans(line.substr(end + 1 + kBoldMark.size()));
}

std::string plain_paragraph(std::string_view html) {
  const std::size_t begin = html.find_first_not_of('\n');
  if (begin == std::string_view::npos) return {};
  html = html.substr(begin, html.find_last_not_of('\n') + 1 - begin);
  return "<p class=\"text\">" + std::string(html) + "</p>";
}

}  // namespace

std::string page_text(std::string_view text) {
  std::string out;
  std::string plain;
  std::string code;
  std::string_view fence;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!fence.empty() && line == fence) {
      out += "<pre>" + code + "</pre>";
      code.clear();
      fence = {};
    } else if (!fence.empty()) {
      code += html_escaped(line) + "\n";
    } else if (fence = fence_of(line); !fence.empty()) {
      out += plain_paragraph(plain);
      plain.clear();
    } else {
      plain += line_html(line) + "\n";
    }
  }
  // A fence that nothing closes holds the rest.
  return out + (fence.empty() ? plain_paragraph(plain) : "<pre>" + code + "</pre>");
}

}  // namespace parley::api
