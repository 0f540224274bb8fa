// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace parley::tool {

// The readable text of an HTML page, a little in the way of Markdown: headings, lists, links with
// where they lead, preformatted text as it is. Scripts, styles and hidden elements are left out.
// Malformed pages are repaired as libxml2 does it. `html` is UTF-8; ill-formed bytes become U+FFFD.
// Any thread. Loads nothing, neither from the network nor from a file. Time and memory are
// proportional to the length.
std::string html_to_text(std::string_view html);

inline constexpr std::size_t kMaxHtmlBytes = 10U << 20U;  // the rest is not read
// Deeper elements are read as if all of them had ended before.
inline constexpr int kMaxHtmlDepth = 512;
// A longer tag is skipped (a picture in its own address, for example).
inline constexpr std::size_t kMaxHtmlTagBytes = 64U << 10U;
// Comparisons of attributes, open elements and errors; a page that takes more of them (about a
// second) is cut, and a line says so.
inline constexpr std::uint64_t kMaxHtmlWork = 100'000'000;

}  // namespace parley::tool
