// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/clock.h"
#include "core/result.h"

namespace parley::conformance {

using Deadline = core::MonoTime;

Deadline in_ms(std::int64_t ms);

// Where the server under test is.
struct Target {
  bool secure = false;
  std::string host;
  std::string port;
  std::string prefix;  // a path before every path, without a slash at its end

  // "http://127.0.0.1:22080", "https://example.org/parley"; ws and wss mean the same.
  // Errors: `invalid_argument`.
  static core::Result<Target> parse(std::string_view url);
  std::string authority() const;  // for the Host field
};

// A blocking byte stream to the server, TCP or TLS, in which every call has a deadline. The
// runner has its own sockets on purpose: it must not share a fault with the server's.
class Channel {
 public:
  // Errors: `unavailable`, `deadline_exceeded`.
  static core::Result<std::unique_ptr<Channel>> connect(const Target& target, Deadline deadline);

  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;

  // Appends what has arrived, at least one byte, to `into`; false at the end of the stream.
  // Errors: `deadline_exceeded`, `unavailable` (reset).
  virtual core::Result<bool> read_some(std::string& into, Deadline deadline) = 0;
  virtual core::Result<void> write_all(std::string_view bytes, Deadline deadline) = 0;
  // Says that nothing more will be sent.
  virtual void finish_writing() = 0;

 protected:
  Channel() = default;
};

}  // namespace parley::conformance
