// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parley::search {

// Limit (/v1): snippet of a hit. Reached: cut.
inline constexpr std::size_t kMaxSnippetBytes = 300;

struct SnippetPart {
  std::string text;
  bool match = false;  // a word of the query, or a longer word that begins with it
};

// The part of a text around the first match, as one line. `words`: those of
// sql::TextIndex::words().
std::vector<SnippetPart> snippet(std::string_view text, const std::vector<std::string>& words);

}  // namespace parley::search
