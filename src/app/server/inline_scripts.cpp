// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/inline_scripts.h"

#include "base/core/ascii.h"
#include "services/front_end/digest.h"

namespace parley::app {
namespace {

constexpr std::string_view kOpen = "<script";
constexpr std::string_view kClose = "</script";
constexpr std::string_view kComment = "<!--";
constexpr std::string_view kCommentEnd = "-->";
constexpr std::string_view kBlank = " \t\n\r\f";

bool ends_name(char c) { return c == '>' || c == '/' || kBlank.find(c) != std::string_view::npos; }

// Position of `tag` as a whole name; npos if there is none.
std::size_t find_tag(std::string_view text, std::string_view tag, std::size_t from) {
  for (std::size_t at = text.find(tag, from); at != std::string_view::npos;
       at = text.find(tag, at + 1)) {
    const std::size_t end = at + tag.size();
    if (end < text.size() && ends_name(text[end])) return at;
  }
  return std::string_view::npos;
}

struct Tag {
  std::size_t end = std::string_view::npos;  // behind its '>'
  bool has_src = false;
};

// Reads the attributes behind the name of a tag. `text` is in lower case.
Tag read_tag(std::string_view text, std::size_t at) {
  Tag tag;
  while (at < text.size() && text[at] != '>') {
    const std::size_t begin = text.find_first_not_of(" \t\n\r\f/", at);
    if (begin == std::string_view::npos || text[begin] == '>') {
      at = begin;
      continue;
    }
    // A name may begin with '='.
    const std::size_t end = text.find_first_of(" \t\n\r\f/>=", begin + 1);
    if (text.substr(begin, end - begin) == "src") tag.has_src = true;
    at = text.find_first_not_of(kBlank, end);
    if (at == std::string_view::npos || text[at] != '=') continue;
    at = text.find_first_not_of(kBlank, at + 1);
    if (at == std::string_view::npos) break;
    if (text[at] == '"' || text[at] == '\'') {
      at = text.find(text[at], at + 1);
      if (at != std::string_view::npos) ++at;
    } else {
      at = text.find_first_of(" \t\n\r\f>", at);
    }
  }
  if (at < text.size()) tag.end = at + 1;
  return tag;
}

// Browsers hash the text after the HTML parser has turned each line end into one LF.
std::string with_plain_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out.push_back(text[i]);
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      out.push_back('\n');
    }
  }
  return out;
}

}  // namespace

std::string inline_script_sources(std::string_view html) {
  const std::string low = core::lowered(html);
  const std::string_view text = low;
  std::string out;
  std::size_t at = 0;
  for (std::size_t count = 0; count < kMaxInlineScripts;) {
    const std::size_t open = find_tag(text, kOpen, at);
    if (open == std::string_view::npos) break;
    const std::size_t comment = text.find(kComment, at);
    if (comment < open) {
      at = text.find(kCommentEnd, comment + kComment.size());
      if (at == std::string_view::npos) break;
      continue;
    }
    const Tag tag = read_tag(text, open + kOpen.size());
    const std::size_t close =
        tag.end == std::string_view::npos ? tag.end : find_tag(text, kClose, tag.end);
    if (close == std::string_view::npos) break;
    if (!tag.has_src) {
      const std::string script = with_plain_lines(html.substr(tag.end, close - tag.end));
      out += " 'sha256-" + front_end::sha256_base64(script) + "'";
      ++count;
    }
    at = close + kClose.size();
  }
  return out;
}

}  // namespace parley::app
