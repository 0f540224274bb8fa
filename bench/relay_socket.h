// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::bench {

// A client of /agent/ws on a blocking socket: the least that can join, send and receive. One thread
// at a time.
class RelaySocket {
 public:
  // Connects and joins; ends this program if it cannot.
  RelaySocket(int port, const std::string& role, const std::string& session);
  RelaySocket(RelaySocket&& other) noexcept;
  RelaySocket(const RelaySocket&) = delete;
  RelaySocket& operator=(const RelaySocket&) = delete;
  ~RelaySocket();

  int fd() const { return fd_; }
  // Appends a message to what flush() sends.
  void queue(std::string_view text);
  void flush();
  void send(std::string_view text) {
    queue(text);
    flush();
  }
  // Reads once; blocks if nothing is there.
  void fill();
  // The next whole message that is here already; valid until the next fill().
  std::optional<std::string_view> next();
  // Waits for a message of this type and passes others over.
  std::string_view await(std::string_view type);

 private:
  std::string_view unread() const { return {in_.data() + at_, end_ - at_}; }

  int fd_;
  std::vector<char> in_;  // as large as it will be: what is read is measured, not the buffer
  std::size_t at_ = 0;    // of the first byte of in_ that was not given out
  std::size_t end_ = 0;   // of what was read
  std::string out_;
};

// The id of a message whose id is plain text, or empty.
std::string_view id_of(std::string_view message);
// Whether a message that a relay wrote has this type.
bool is_type(std::string_view message, std::string_view type);

}  // namespace parley::bench
