// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/sse_reader.h"

namespace parley::model {

bool SseReader::feed(std::string_view bytes) {
  while (!bytes.empty() && !too_large_) {
    if (after_cr_) {
      after_cr_ = false;
      if (bytes.front() == '\n') {
        bytes.remove_prefix(1);
        continue;
      }
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + data_.size() + part.size() > kMaxEventBytes) {
      too_large_ = true;
      return false;
    }
    if (end == std::string_view::npos) {
      line_.append(part);
      return true;
    }
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (line_.empty()) {
      take_line(part);
      continue;
    }
    line_.append(part);
    take_line(line_);
    line_.clear();
  }
  return !too_large_;
}

void SseReader::finish() {
  if (too_large_) return;
  if (!line_.empty()) take_line(line_);
  line_.clear();
  dispatch();
}

void SseReader::take_line(std::string_view line) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (first_line_ && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  first_line_ = false;
  if (line.empty()) return dispatch();
  const std::size_t colon = line.find(':');
  if (colon == 0) return;  // a comment
  const std::string_view name = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "event") {
    event_ = value;
  } else if (name == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  }
}

void SseReader::dispatch() {
  if (has_data_) on_event_(event_, data_);
  has_data_ = false;
  data_.clear();
  event_.clear();
}

}  // namespace parley::model
