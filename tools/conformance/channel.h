// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/result.h"

namespace parley::conformance {

using Deadline = core::MonoTime;

Deadline in_ms(std::int64_t ms);

// Address of the server under test.
struct Target {
  bool secure = false;
  std::string host;
  std::string port;
  std::string prefix;  // prefix of every path, without a slash at its end

  // "http://127.0.0.1:22080", "https://example.org/parley"; ws and wss mean the same.
  // Errors: `invalid_argument`.
  static core::Result<Target> parse(std::string_view url);
  std::string authority() const;  // for the Host field
};

// A blocking byte stream to the server, TCP or TLS; every call has a deadline. Independent of the
// server's network code on purpose, so that both cannot have the same fault.
class Channel {
 public:
  // Errors: `unavailable`, `deadline_exceeded`.
  static core::Result<std::unique_ptr<Channel>> connect(const Target& target, Deadline deadline);

  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;

  // Appends the bytes that have arrived, at least one, to `into`; false at the end of the stream.
  // Errors: `deadline_exceeded`, `unavailable` (reset).
  virtual core::Result<bool> read_some(std::string& into, Deadline deadline) = 0;
  virtual core::Result<void> write_all(std::string_view bytes, Deadline deadline) = 0;
  // Closes the sending direction.
  virtual void finish_writing() = 0;

 protected:
  Channel() = default;
};

}  // namespace parley::conformance
