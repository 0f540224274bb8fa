// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/http_client/curl_loop.h"

namespace parley::app {

// Reads lines of the standard input on a loop. One reader at a time. A line longer than
// kMaxLineBytes ends the input.
class LineInput {
 public:
  // `loop` must outlive this object.
  explicit LineInput(http_client::CurlLoop& loop);
  ~LineInput() { cancel(); }
  LineInput(const LineInput&) = delete;
  LineInput& operator=(const LineInput&) = delete;

  // Calls `ready` once with the next line, never within this call; std::nullopt: the input has
  // ended. At a terminal reading may continue after that.
  using Ready = std::function<void(std::optional<std::string> line)>;
  void next_line(Ready ready);
  // Drops the callback of next_line(). Idempotent.
  void cancel();
  // Discards unread input.
  void forget();

  bool is_terminal() const { return terminal_; }

  // Limit (Runs): line of `parley run -i`. Reached: the text so far is sent, and the server refuses
  // it; then the input ends.
  static constexpr std::size_t kMaxLineBytes = 4U << 20U;

 private:
  void on_readable();
  void deliver();

  http_client::CurlLoop& loop_;
  const bool terminal_;
  std::string buffer_;
  bool ended_ = false;
  Ready ready_;
  core::TimerId timer_ = 0;
};

}  // namespace parley::app
