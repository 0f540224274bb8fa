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
  pinned,  // on one processor; the load runs on the other one (pin_load())
  free,    // on any processor
};

// A server in its own process.
class PinnedServer {
 public:
  // Starts the server and waits for the line with its port: "PORT", or "ready http://HOST:PORT".
  explicit PinnedServer(std::vector<std::string> command, Place place = Place::pinned);

  int port() const { return port_; }
  // User and system time of all threads of the server.
  Seconds cpu() const;
  double resident_bytes() const;
  // The peak of its resident memory.
  double peak_bytes() const;

 private:
  ChildProcess process_;
  int port_;
};

// Pins this thread, and those that it starts, to the processor of the load.
void pin_load();

// The path of this program, to start it as a server.
std::string own_path();

}  // namespace parley::bench
