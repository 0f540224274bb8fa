// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "websocket_load.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/net/websocket/websocket_codec.h"
#include "give_up.h"

namespace parley::bench {
namespace {

// A server's frame has no mask: two bytes, two of length, then the payload.
constexpr std::size_t kAnswerBytes = 4 + WebSocketLoad::kPayloadBytes;
constexpr std::chrono::seconds kPatience{10};

int open_connection(int port, const std::string& path) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  if (fd < 0 || connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)) != 0)
    give_up_on("connect");
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const std::string request = "GET " + path +
                              " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                              "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                              "Sec-WebSocket-Version: 13\r\n"
                              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) < 0) give_up_on("send");
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    std::array<char, 2'048> buffer;
    const ssize_t got = recv(fd, buffer.data(), buffer.size(), 0);
    if (got <= 0) give_up_on("handshake");
    head.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (!head.starts_with("HTTP/1.1 101")) {
    std::fprintf(stderr, "the server refused: %s\n", head.c_str());
    std::exit(1);
  }
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

}  // namespace

WebSocketLoad::WebSocketLoad(int port, const std::string& path, std::size_t count)
    : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  std::string frame;
  net::append_frame(
      frame, {.opcode = net::Opcode::text, .mask = net::MaskKey{'\x37', '\xfa', '\x21', '\x3d'}},
      std::string(kPayloadBytes, 'm'));
  frame_bytes_ = frame.size();
  for (std::size_t i = 0; i < kMaxBurst; ++i) frames_.append(frame);
  connections_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    connections_[i].fd = open_connection(port, path);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, connections_[i].fd, &event);
  }
}

WebSocketLoad::~WebSocketLoad() {
  for (const Connection& connection : connections_) close(connection.fd);
  close(epoll_);
}

void WebSocketLoad::send(std::size_t index, std::size_t count) {
  const std::size_t bytes = std::min(count, kMaxBurst) * frame_bytes_;
  const ssize_t sent = ::send(connections_[index].fd, frames_.data(), bytes, MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(bytes)) give_up_on("send");
}

std::size_t WebSocketLoad::poll_once(bool answer) {
  std::array<epoll_event, 512> events;
  std::array<char, 64U << 10U> buffer;
  // Polls without sleeping: a wake-up of this program would cost time of the server.
  const auto begin = std::chrono::steady_clock::now();
  int ready = 0;
  while ((ready = epoll_wait(epoll_, events.data(), events.size(), 0)) == 0) {
    if (std::chrono::steady_clock::now() - begin > kPatience) {
      std::fprintf(stderr, "the server does not answer\n");
      std::exit(1);
    }
  }
  std::size_t messages = 0;
  for (int i = 0; i < ready; ++i) {
    const auto index = static_cast<std::size_t>(events[static_cast<std::size_t>(i)].data.u64);
    Connection& connection = connections_[index];
    const ssize_t got = recv(connection.fd, buffer.data(), buffer.size(), 0);
    if (got <= 0) give_up_on("recv");
    connection.bytes += static_cast<std::size_t>(got);
    const std::size_t whole = connection.bytes / kAnswerBytes;
    connection.bytes %= kAnswerBytes;
    messages += whole;
    if (answer && whole > 0) send(index, whole);
  }
  return messages;
}

void WebSocketLoad::await_messages(std::size_t count) {
  std::size_t seen = 0;
  while (seen < count) seen += poll_once(false);
}

}  // namespace parley::bench
