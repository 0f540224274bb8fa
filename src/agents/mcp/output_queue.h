// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parley::mcp {

// Writes to a descriptor that other processes may share, without blocking and without changing its
// flags. Keeps the bytes that cannot be written yet.
class OutputQueue {
 public:
  explicit OutputQueue(int fd) : fd_(fd) {}

  void push(std::string_view bytes) { pending_ += bytes; }
  // Writes the bytes that can be written now. False: the other end is closed.
  bool flush();

  std::size_t size() const { return pending_.size() - begin_; }
  bool empty() const { return size() == 0; }

 private:
  long write_some(std::string_view bytes);

  int fd_;
  bool is_socket_ = true;
  std::string pending_;
  std::size_t begin_ = 0;  // start of the bytes not written yet
};

}  // namespace parley::mcp
