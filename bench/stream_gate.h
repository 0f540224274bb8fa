// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace parley::bench {

// The number of events that the watcher has seen, shared by two processes in a file. The source of
// the events waits for the watcher to begin and stays close to it, so that the benchmark measures a
// stream that is read, not one that is cut off.
class StreamGate {
 public:
  // Makes the file if it does not exist; ends this program on failure.
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
