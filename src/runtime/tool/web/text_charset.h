// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parley::tool {

// The character encodings of the web: those of the WHATWG Encoding Standard that Debian's iconv
// has.

// The name by which iconv knows the encoding of a label, as headers and pages write it ("GB2312",
// "latin1", "x-sjis"), in any case. Empty: the label is not known.
std::string charset_of_label(std::string_view label);

// The label that a Content-Type names, in lower case and without quotes; empty: none.
std::string charset_parameter(std::string_view content_type);

// The label that a page names itself within its first kCharsetProbeBytes: <meta charset="...">,
// <meta ... content="...; charset=...">, <?xml encoding="..."?>. Empty: none.
std::string declared_charset(std::string_view page);
inline constexpr std::size_t kCharsetProbeBytes = 4'096;

// `bytes` in UTF-8; U+FFFD stands for bytes that are no character. `charset` is a name of
// charset_of_label().
std::string text_from_charset(std::string_view bytes, const std::string& charset);

// The text of the body of an answer in UTF-8, without a byte order mark. The first of these that
// names a known encoding decides: `content_type` (a byte order mark corrects it within Unicode);
// the byte order mark; the page itself, if `is_markup`. Nothing named is UTF-8, and Windows-1252
// for HTML that is not. A one-byte encoding that is named for well-formed UTF-8 is an error of the
// server: it is UTF-8.
std::string text_of_body(std::string_view bytes, std::string_view content_type, bool is_markup);

}  // namespace parley::tool
