// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "child_process.h"

namespace parley::bench {

using Seconds = std::chrono::duration<double>;

enum class Place : std::uint8_t {
  pinned,  // on one processor; the load has the other one (pin_load())
  free,    // wherever the system puts its threads
};

// A server in a process of its own.
class PinnedServer {
 public:
  // Starts it and waits for the line with its port: "PORT", or "ready http://HOST:PORT".
  explicit PinnedServer(std::vector<std::string> command, Place place = Place::pinned);

  int port() const { return port_; }
  // User and system time of all its threads.
  Seconds cpu() const;
  double resident_bytes() const;
  // The most that it had at any time.
  double peak_bytes() const;

 private:
  ChildProcess process_;
  int port_;
};

// Puts this thread, and those that it makes, on the processor of the load.
void pin_load();

// The path of this program, to start it again as a server.
std::string own_path();

}  // namespace parley::bench
