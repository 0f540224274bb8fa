// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/output_text.h"

#include <algorithm>

#include "core/utf8.h"

namespace parley::tool {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// True if these bytes, with which no well-formed text begins, may be an incomplete character.
bool may_go_on(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > 3) return false;
  const auto lead = static_cast<unsigned char>(bytes[0]);
  std::size_t length = 0;
  if (lead >= 0xc2 && lead <= 0xdf) length = 2;
  if (lead >= 0xe0 && lead <= 0xef) length = 3;
  if (lead >= 0xf0 && lead <= 0xf4) length = 4;
  if (bytes.size() >= length) return false;
  // Completed with any rest it must be a character: this also checks the second byte's range.
  for (const char second : {'\x80', '\x90', '\xa0'}) {
    std::string whole(bytes);
    if (whole.size() == 1) whole += second;
    whole.append(length - whole.size(), '\x80');
    if (core::is_utf8(whole)) return true;
  }
  return false;
}

}  // namespace

std::string Utf8Stream::feed(std::string_view bytes) {
  std::string joined;
  if (!rest_.empty()) {
    joined = rest_ + std::string(bytes);
    rest_.clear();
    bytes = joined;
  }
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t good = core::utf8_prefix(bytes);
    out.append(bytes.substr(0, good));
    bytes.remove_prefix(good);
    if (bytes.empty()) break;
    if (may_go_on(bytes)) {
      rest_ = std::string(bytes);
      break;
    }
    out.append(kReplacement);
    bytes.remove_prefix(1);
  }
  return out;
}

std::string Utf8Stream::finish() {
  std::string out;
  for (std::size_t i = 0; i < rest_.size(); ++i) out.append(kReplacement);
  rest_.clear();
  return out;
}

std::string to_utf8(std::string_view bytes) {
  if (core::is_utf8(bytes)) return std::string(bytes);
  Utf8Stream stream;
  std::string out = stream.feed(bytes);
  return out + stream.finish();
}

void BoundedText::append(std::string_view bytes) {
  total_ += bytes.size();
  const std::size_t room = head_limit_ - std::min(head_limit_, head_.size());
  head_.append(bytes.substr(0, room));
  bytes.remove_prefix(std::min(room, bytes.size()));
  if (bytes.size() > tail_limit_) bytes.remove_prefix(bytes.size() - tail_limit_);
  tail_.append(bytes);
  if (tail_.size() > 2 * tail_limit_) tail_.erase(0, tail_.size() - tail_limit_);
}

std::string BoundedText::text() const {
  std::string_view tail = tail_;
  if (tail.size() > tail_limit_) tail.remove_prefix(tail.size() - tail_limit_);
  const std::uint64_t missing = total_ - head_.size() - tail.size();
  if (missing == 0) return to_utf8(head_ + std::string(tail));
  return to_utf8(head_) + "\n[... " + std::to_string(missing) + " bytes are left out here ...]\n" +
         to_utf8(tail);
}

std::string cut_text(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  const std::string_view kept = core::utf8_truncate(text, limit);
  return std::string(kept) + "\n[... " + std::to_string(text.size() - kept.size()) +
         " bytes are left out here ...]";
}

}  // namespace parley::tool
