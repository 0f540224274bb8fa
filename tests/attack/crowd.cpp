// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// parley-crowd PORT COUNT ADDRESSES   connects COUNT times to 127.0.0.1:PORT, from ADDRESSES
// addresses of the loopback network, sends the bytes of stdin on each connection, and reads
// nothing. The smallest receive buffer keeps answers in the server. Prints "sent N" once each
// connection has sent as much as its peer takes, N of them all of it, then waits for SIGTERM. Only
// to 127.0.0.1, and at most kMaxConnections.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t kMaxConnections = 20'000;
constexpr int kReceiveBytes = 2'048;
// Longest wait for a peer that takes nothing.
constexpr int kTakeMs = 1'000;
// The first address is 127.0.2.1.
constexpr in_addr_t kFirstAddress = 0x7f000201;
constexpr std::size_t kMaxAddresses = 200;

[[noreturn]] void fail_with(std::string_view what) {
  std::perror(std::string(what).c_str());
  std::exit(1);
}

std::string read_all() {
  std::string all;
  std::array<char, 65'536> piece{};
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got < 0) fail_with("stdin");
    if (got == 0) return all;
    all.append(piece.data(), static_cast<std::size_t>(got));
  }
}

sockaddr_in address_of(in_addr_t address, std::uint16_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(address);
  at.sin_port = htons(port);
  return at;
}

int open_connection(std::uint16_t port, in_addr_t from) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail_with("socket");
  ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kReceiveBytes, sizeof(kReceiveBytes));
  const sockaddr_in own = address_of(from, 0);
  const sockaddr_in server = address_of(INADDR_LOOPBACK, port);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&own), sizeof(own)) != 0) fail_with("bind");
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&server), sizeof(server)) != 0) {
    fail_with("connect");
  }
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

// True once all bytes are sent; false: the peer has closed or takes nothing.
bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno != EAGAIN) return false;
    pollfd writable{fd, POLLOUT, 0};
    if (::poll(&writable, 1, kTakeMs) != 1) return false;
  }
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fputs("parley-crowd PORT COUNT ADDRESSES < BYTES\n", stderr);
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(std::strtoul(arguments[1], nullptr, 10));
  const std::size_t wanted = std::strtoul(arguments[2], nullptr, 10);
  const std::size_t addresses = std::strtoul(arguments[3], nullptr, 10);
  if (port == 0 || wanted == 0 || wanted > kMaxConnections || addresses == 0 ||
      addresses > kMaxAddresses) {
    std::fputs("parley-crowd: a number is out of range\n", stderr);
    return 2;
  }
  const rlimit most{kMaxConnections + 100, kMaxConnections + 100};
  ::setrlimit(RLIMIT_NOFILE, &most);
  const std::string bytes = read_all();
  std::vector<int> connections;
  connections.reserve(wanted);
  while (connections.size() < wanted) {
    const auto from = static_cast<in_addr_t>(connections.size() % addresses);
    connections.push_back(open_connection(port, kFirstAddress + from));
  }
  std::size_t complete = 0;
  for (const int fd : connections) {
    if (send_all(fd, bytes)) ++complete;
  }
  std::printf("sent %zu\n", complete);
  std::fflush(stdout);
  for (;;) ::pause();
}
