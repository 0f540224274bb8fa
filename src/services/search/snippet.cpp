// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/search/snippet.h"

#include <algorithm>
#include <optional>

#include "base/core/ascii.h"
#include "base/core/utf8.h"

namespace parley::search {
namespace {

constexpr std::size_t kBytesBefore = 80;

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool is_alphanumeric(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z');
}
bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }
bool in_word(char byte) {
  return is_alphanumeric(byte) || static_cast<unsigned char>(byte) >= 0x80U;
}

// The next match of any word at or after `from`. A word in ASCII matches at the beginning of a
// word.
std::optional<Span> next_match(std::string_view lowered, const std::vector<std::string>& words,
                               std::size_t from) {
  std::optional<Span> best;
  for (const std::string& word : words) {
    const bool ascii = is_alphanumeric(word.front());
    std::size_t at = lowered.find(word, from);
    while (ascii && at != std::string_view::npos && at > 0 && is_alphanumeric(lowered[at - 1])) {
      at = lowered.find(word, at + 1);
    }
    if (at == std::string_view::npos || (best && best->begin <= at)) continue;
    std::size_t end = at + word.size();
    while (ascii && end < lowered.size() && is_alphanumeric(lowered[end])) ++end;
    best = Span{at, end};
  }
  return best;
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    const bool space = byte == '\n' || byte == '\r' || byte == '\t' || byte == ' ';
    if (space && (out.empty() || out.back() == ' ')) continue;
    out += space ? ' ' : byte;
  }
  return out;
}

// The begin of a snippet with the match: the beginning of a word, if one is near.
std::size_t begin_before(std::string_view text, std::size_t match) {
  if (match <= kBytesBefore) return 0;
  std::size_t begin = match - kBytesBefore;
  while (begin < match && continues_character(text[begin])) ++begin;
  const std::size_t space = text.find(' ', begin);
  if (space < match && in_word(text[begin - 1])) begin = space + 1;
  return begin;
}

}  // namespace

std::vector<SnippetPart> snippet(std::string_view text, const std::vector<std::string>& words) {
  const std::string line = one_line(text);
  const std::string lowered = core::lowered(line);
  const std::optional<Span> first = next_match(lowered, words, 0);
  const std::size_t begin = first ? begin_before(line, first->begin) : 0;
  const std::size_t end =
      begin + core::utf8_truncate(std::string_view(line).substr(begin), kMaxSnippetBytes).size();
  std::vector<SnippetPart> out;
  const auto add = [&out](std::string part, bool match) {
    if (!part.empty()) out.push_back({std::move(part), match});
  };
  if (begin > 0) add("… ", false);
  std::size_t at = begin;
  for (std::optional<Span> match = first; match && match->begin < end;
       match = next_match(lowered, words, at)) {
    add(line.substr(at, match->begin - at), false);
    at = std::min(match->end, end);
    add(line.substr(match->begin, at - match->begin), true);
    if (at >= end) break;
  }
  if (at < end) add(line.substr(at, end - at), false);
  if (end < line.size()) add(" …", false);
  return out;
}

}  // namespace parley::search
