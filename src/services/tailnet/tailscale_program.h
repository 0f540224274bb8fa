// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "services/tailnet/tailnet_fault.h"

namespace parley::tailnet {

// Limits of one call of the program.
struct ProgramLimits {
  // Limit (The tailnet): time of `tailscale status`. Reached: ended; the server does not start.
  core::Millis status_time{10'000};
  // `tailscale cert` waits for the certificate authority when there is none yet.
  // Limit (The tailnet): time of `tailscale cert`. Reached: ended; a renewal is tried again.
  core::Millis certificate_time{30'000};
  // Bytes of one stream; more ends the program.
  // Limit (The tailnet, bytes): bytes of one stream of the program. Reached: the program is ended,
  // and the call fails.
  std::size_t output = 1U << 20U;
};

// The program `tailscale` of this computer, found in PATH. Each call starts it without a shell,
// with an empty stdin, and ends it with all its descendants at its time limit. Calls wait for it:
// never on the thread of a loop. Thread-safe.
class TailscaleProgram {
 public:
  // `environment`: "NAME=value"; the program gets what for_children() leaves of it.
  explicit TailscaleProgram(std::vector<std::string> environment, ProgramLimits limits = {});

  // Its stdout on `status --json`.
  Found<std::string> status() const;
  // Its stdout on `cert` for this name: the certificate chain and its key, both PEM.
  Found<std::string> certificate(std::string_view name) const;
  // Ends a call that is under way soon, and each later one. Any thread.
  void cancel() { *cancelled_ = true; }

  static constexpr core::Millis kCancelCheck{50};

 private:
  Found<std::string> run(std::vector<std::string> arguments, core::Millis patience) const;

  const std::vector<std::string> environment_;
  const ProgramLimits limits_;
  const std::shared_ptr<std::atomic<bool>> cancelled_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace parley::tailnet
