// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace parley::bench {

// The number of events that the watcher has seen, shared by two processes in a file. The source of
// the events waits until the watcher has begun and stays within a window of it, so that the server
// never closes the stream of a slow watcher.
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
