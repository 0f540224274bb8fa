// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/line_splitter.h"

namespace parley::core {

void LineSplitter::feed(std::string_view bytes, OnLine line) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      take(bytes, line);
      return;
    }
    take(bytes.substr(0, end), line);
    bytes.remove_prefix(end + 1);
    if (!skipping_) {
      if (!partial_.empty() && partial_.back() == '\r') partial_.pop_back();
      line(partial_, false);
    }
    partial_.clear();
    skipping_ = false;
  }
}

void LineSplitter::finish(OnLine line) {
  if (!skipping_ && !partial_.empty()) line(partial_, false);
  partial_.clear();
  skipping_ = false;
}

void LineSplitter::take(std::string_view part, OnLine line) {
  if (skipping_) return;
  if (partial_.size() + part.size() > max_bytes_) {
    skipping_ = true;
    partial_.clear();
    line({}, true);
    return;
  }
  partial_ += part;
}

}  // namespace parley::core
