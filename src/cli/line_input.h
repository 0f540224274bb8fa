// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "http_client/curl_loop.h"

namespace parley::app {

// Lines of the standard input, as they come, on a loop. One reader at a time.
class LineInput {
 public:
  // `loop` outlives it.
  explicit LineInput(http_client::CurlLoop& loop);
  ~LineInput() { cancel(); }
  LineInput(const LineInput&) = delete;
  LineInput& operator=(const LineInput&) = delete;

  // Hands the next line to `ready`, once and never inside this call; std::nullopt: the input has
  // ended (at a terminal: for now).
  using Ready = std::function<void(std::optional<std::string> line)>;
  void next_line(Ready ready);
  // Nobody waits any more.
  void cancel();
  // Forgets what was typed before anybody asked: it was meant for something else.
  void forget();

  bool is_terminal() const { return terminal_; }

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
