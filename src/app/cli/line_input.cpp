// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/line_input.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace parley::app {

LineInput::LineInput(http_client::CurlLoop& loop)
    : loop_(loop), terminal_(::isatty(STDIN_FILENO) == 1) {}

void LineInput::next_line(Ready ready) {
  ready_ = std::move(ready);
  if (ended_ || buffer_.find('\n') != std::string::npos) {
    timer_ = loop_.after(core::Millis(0), [this] { deliver(); });
    return;
  }
  loop_.watch(STDIN_FILENO, POLLIN, [this](short) { on_readable(); });
}

void LineInput::cancel() {
  if (!ready_) return;
  ready_ = {};
  loop_.unwatch(STDIN_FILENO);
  if (timer_ != 0) loop_.cancel(std::exchange(timer_, 0));
}

void LineInput::forget() {
  buffer_.clear();
  if (terminal_) ::tcflush(STDIN_FILENO, TCIFLUSH);
}

void LineInput::on_readable() {
  std::array<char, 4'096> bytes{};
  const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got > 0) buffer_.append(bytes.data(), static_cast<std::size_t>(got));
  ended_ = got <= 0 || buffer_.size() > kMaxLineBytes;
  if (!ended_ && buffer_.find('\n') == std::string::npos) return;
  deliver();
}

void LineInput::deliver() {
  timer_ = 0;
  loop_.unwatch(STDIN_FILENO);
  std::optional<std::string> line;
  const std::size_t end = buffer_.find('\n');
  if (end != std::string::npos) {
    line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
  } else if (!buffer_.empty()) {
    line = std::exchange(buffer_, {});
  }
  if (line && line->ends_with('\r')) line->pop_back();
  // At a terminal reading may continue after ^D.
  if (!line && terminal_) ended_ = false;
  std::exchange(ready_, {})(std::move(line));
}

}  // namespace parley::app
