// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/output_text.h"

#include <algorithm>

#include "base/core/utf8.h"
#include "base/core/utf8_repair.h"

namespace parley::tool {
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
  if (missing == 0) return core::repaired_utf8(head_ + std::string(tail));
  return core::repaired_utf8(head_) + "\n[... " + std::to_string(missing) +
         " bytes are left out here ...]\n" + core::repaired_utf8(tail);
}

std::string cut_text(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  const std::string_view cut = core::utf8_truncate(text, limit);
  return std::string(cut) + "\n[... " + std::to_string(text.size() - cut.size()) +
         " bytes are left out here ...]";
}

}  // namespace parley::tool
