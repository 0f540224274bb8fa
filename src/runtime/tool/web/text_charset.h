// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parley::tool {

// The character encodings of the WHATWG Encoding Standard, as far as Debian's iconv has them.

// iconv's name for the encoding of a label in headers and pages ("GB2312", "latin1", "x-sjis"), in
// any case. Empty: unknown label.
std::string charset_of_label(std::string_view label);

// The label in a Content-Type, in lower case and without quotes; empty: none.
std::string charset_parameter(std::string_view content_type);

// The label that a page declares within its first kCharsetProbeBytes: <meta charset="...">, <meta
// ... content="...; charset=...">, <?xml encoding="..."?>. Empty: none.
std::string declared_charset(std::string_view page);
// Limit (Tools): place where a page names its encoding, from its beginning. Reached: not seen.
inline constexpr std::size_t kCharsetProbeBytes = 4'096;

// Converts `bytes` to UTF-8; bytes that form no character become U+FFFD. `charset` is a result of
// charset_of_label().
std::string text_from_charset(std::string_view bytes, const std::string& charset);

// Converts the body of an answer to UTF-8, without a byte order mark. The encoding is that of
// `content_type` (corrected by a byte order mark if both are Unicode), else of the byte order mark,
// else the one that the page declares if `is_markup`, else UTF-8, or Windows-1252 for HTML that is
// not UTF-8. Well-formed UTF-8 is read as such even if a one-byte encoding is named, which is an
// error of the server.
std::string text_of_body(std::string_view bytes, std::string_view content_type, bool is_markup);

}  // namespace parley::tool
