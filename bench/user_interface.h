// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parley::bench {

// Ends this program with `what` and errno's message unless `good`.
void check(bool good, const char* what);

// A blocking TCP connection to a port of this computer, without Nagle's delay.
int connect_to(std::uint16_t port);

void write_all(int fd, std::string_view bytes);

// The port in a server's line "ready http://HOST:PORT".
std::uint16_t port_of(const std::string& ready);

// A minimal user interface of the assistant protocol on a blocking socket: logs in and answers
// questions. One thread.
class UserInterface {
 public:
  // Connects, logs in with `token`, and returns when the server has accepted the login.
  UserInterface(std::uint16_t port, const std::string& token);
  UserInterface(UserInterface&& other) noexcept;
  UserInterface(const UserInterface&) = delete;
  UserInterface& operator=(const UserInterface&) = delete;
  ~UserInterface();

  // Waits for the next question and answers "yes".
  void answer_one();

 private:
  void fill();
  std::size_t byte(std::size_t at) const { return static_cast<unsigned char>(bytes_[at]); }
  // Receives one frame: the serialised message, or an empty text for a frame without one.
  std::string receive();
  void send(const std::string& payload);

  int fd_;
  std::string bytes_;
};

}  // namespace parley::bench
