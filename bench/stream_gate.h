// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace parley::bench {

// A number that two processes share, in a file: how many events of the run the watcher has seen.
// The source of the events waits for the watcher to begin, and never runs away from it: what is
// measured is a stream that is read, not one that is cut off.
class StreamGate {
 public:
  // Makes the file if it is not there; ends this program if it cannot.
  explicit StreamGate(const std::string& path);
  StreamGate(const StreamGate&) = delete;
  StreamGate& operator=(const StreamGate&) = delete;
  ~StreamGate();

  std::uint64_t seen() const { return seen_->load(std::memory_order_acquire); }
  void set_seen(std::uint64_t count) { seen_->store(count, std::memory_order_release); }

 private:
  std::atomic<std::uint64_t>* seen_;
};

}  // namespace parley::bench
