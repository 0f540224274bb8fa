// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::tool {

// The readable text of an HTML page, a little in the way of Markdown: headings, lists, links with
// where they lead, preformatted text as it is. Scripts, styles and what is hidden are left out.
// Takes any bytes that are UTF-8; never fails, and takes time in proportion to the length.
std::string html_to_text(std::string_view html);

// Character references ("&amp;", "&#8364;") as what they stand for; unknown ones stay.
std::string decode_entities(std::string_view text);

}  // namespace parley::tool
