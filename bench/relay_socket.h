// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::bench {

// A minimal client of /agent/ws on a blocking socket: joins, sends and receives. One thread at a
// time.
class RelaySocket {
 public:
  // Connects and joins; ends this program on failure.
  RelaySocket(int port, const std::string& role, const std::string& session);
  RelaySocket(RelaySocket&& other) noexcept;
  RelaySocket(const RelaySocket&) = delete;
  RelaySocket& operator=(const RelaySocket&) = delete;
  ~RelaySocket();

  int fd() const { return fd_; }
  // Appends a message to the output of flush().
  void queue(std::string_view text);
  void flush();
  void send(std::string_view text) {
    queue(text);
    flush();
  }
  // Reads once; blocks until data arrives.
  void fill();
  // The next complete message in the buffer; valid until the next fill().
  std::optional<std::string_view> next();
  // Waits for a message of this type and skips others.
  std::string_view await(std::string_view type);

 private:
  std::string_view unread() const { return {in_.data() + at_, end_ - at_}; }

  int fd_;
  std::vector<char> in_;  // of its final size, so that growth is not measured
  std::size_t at_ = 0;    // of the first unread byte of in_
  std::size_t end_ = 0;   // of the received bytes
  std::string out_;
};

// The id of a message whose id is plain text, or empty.
std::string_view id_of(std::string_view message);
// True if a message that a relay wrote has this type.
bool is_type(std::string_view message, std::string_view type);

}  // namespace parley::bench
