// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace parley::tool {

// The readable text of an HTML page in a form like Markdown: headings, lists, links with their
// addresses, preformatted text unchanged. Scripts, styles and hidden elements are left out.
// Malformed pages are repaired as libxml2 does it. `html` is UTF-8; ill-formed bytes become U+FFFD.
// Loads nothing, neither from the network nor from files. Time and memory are linear in the length.
// Any thread.
std::string html_to_text(std::string_view html);

// Limit (Tools): an HTML page. Reached: the rest is not read.
inline constexpr std::size_t kMaxHtmlBytes = 10U << 20U;  // the rest is not read
// Limit of the nesting; at a deeper element all open elements count as closed.
// Limit (Tools): nesting of a page's elements. Reached: read as if all elements had ended.
inline constexpr int kMaxHtmlDepth = 512;
// Limit of one tag; a longer one is skipped (for example, an image in a data: URL).
// Limit (Tools): a tag of a page. Reached: skipped.
inline constexpr std::size_t kMaxHtmlTagBytes = 64U << 10U;
// Limit of comparisons of attributes, open elements and errors: about a second. A page that takes
// more is cut, with a note.
// Limit (Tools): comparisons of repairing a page (about 1 s). Reached: cut, and a line says so.
inline constexpr std::uint64_t kMaxHtmlWork = 100'000'000;

}  // namespace parley::tool
