// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace parley::model {

// Splits a byte stream into server-sent events (the event stream format of the HTML standard):
// lines that end in LF, CR or CRLF, comments, several data lines. Bytes may be split anywhere. No
// I/O.
class SseReader {
 public:
  // `event` is empty if the stream names none. The views are valid during the call.
  using OnEvent = std::function<void(std::string_view event, std::string_view data)>;

  explicit SseReader(OnEvent on_event) : on_event_(std::move(on_event)) {}

  // False once an event is larger than kMaxEventBytes; later bytes are ignored.
  bool feed(std::string_view bytes);
  // Call at the end of the stream. An event without its final blank line is dispatched too, because
  // some servers omit that line.
  void finish();

  // Limit (Models): one streamed event of a model. Reached: `resource_exhausted`, no retry.
  static constexpr std::size_t kMaxEventBytes = 16U << 20U;

 private:
  void take_line(std::string_view line);
  void dispatch();

  OnEvent on_event_;
  std::string line_;  // incomplete line
  std::string event_;
  std::string data_;
  bool has_data_ = false;
  bool after_cr_ = false;
  bool first_line_ = true;
  bool too_large_ = false;
};

}  // namespace parley::model
