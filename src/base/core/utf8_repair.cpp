// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/utf8_repair.h"

#include "base/core/utf8.h"

namespace parley::core {
namespace {

constexpr std::string_view kReplacementText = "\xef\xbf\xbd";

// True if these bytes, which begin with an ill-formed character, may be an incomplete one.
bool may_continue(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > 3) return false;
  const auto lead = static_cast<unsigned char>(bytes[0]);
  std::size_t length = 0;
  if (lead >= 0xc2 && lead <= 0xdf) length = 2;
  if (lead >= 0xe0 && lead <= 0xef) length = 3;
  if (lead >= 0xf0 && lead <= 0xf4) length = 4;
  if (bytes.size() >= length) return false;
  // Completed with continuation bytes it must be a character; this also checks the range of the
  // second byte.
  for (const char second : {'\x80', '\x90', '\xa0'}) {
    std::string whole(bytes);
    if (whole.size() == 1) whole += second;
    whole.append(length - whole.size(), '\x80');
    if (is_utf8(whole)) return true;
  }
  return false;
}

// Appends the repaired `text`. If `more` may come, an incomplete character at the end is not
// appended but returned.
std::string_view append_repaired(std::string& out, std::string_view text, bool more) {
  while (!text.empty()) {
    const std::size_t good = utf8_prefix(text);
    out.append(text.substr(0, good));
    text.remove_prefix(good);
    if (text.empty() || (more && may_continue(text))) break;
    out.append(kReplacementText);
    text.remove_prefix(1);
  }
  return text;
}

}  // namespace

std::string repaired_utf8(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  std::string out;
  out.reserve(text.size() + kReplacementText.size());
  append_repaired(out, text, false);
  return out;
}

std::string Utf8Stream::feed(std::string_view bytes) {
  std::string joined;
  if (!rest_.empty()) {
    joined.append(rest_).append(bytes);
    bytes = joined;
  }
  std::string out;
  out.reserve(bytes.size());
  rest_ = append_repaired(out, bytes, true);
  return out;
}

std::string Utf8Stream::finish() {
  std::string out;
  append_repaired(out, rest_, false);
  rest_.clear();
  return out;
}

}  // namespace parley::core
