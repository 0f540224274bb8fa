// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "websocket_servers.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/net/loop/loop.h"
#include "base/net/loop/tcp.h"
#include "base/net/server/server.h"
#include "base/net/websocket/websocket_codec.h"
#include "base/net/websocket/websocket_handshake.h"

namespace parley::bench {
namespace {

class Echo final : public net::WebSocketHandler {
 public:
  void on_open(net::WebSocket&) override {}
  void on_message(net::WebSocket& socket, net::MessageType type, std::string_view data) override {
    if (type == net::MessageType::text) {
      socket.send_text(data);
    } else {
      socket.send_binary(data);
    }
  }
  void on_close(net::WebSocket&, std::uint16_t, std::string_view) override {}
};

using Subscribers = std::set<net::WebSocket*>;

class Subscriber final : public net::WebSocketHandler {
 public:
  explicit Subscriber(Subscribers& all) : all_(all) {}
  void on_open(net::WebSocket& socket) override { all_.insert(&socket); }
  void on_message(net::WebSocket&, net::MessageType, std::string_view) override {}
  void on_close(net::WebSocket& socket, std::uint16_t, std::string_view) override {
    all_.erase(&socket);
  }

 private:
  Subscribers& all_;
};

class Publisher final : public net::WebSocketHandler {
 public:
  explicit Publisher(const Subscribers& all) : all_(all) {}
  void on_open(net::WebSocket&) override {}
  void on_message(net::WebSocket&, net::MessageType type, std::string_view data) override {
    const net::OutgoingMessagePtr message = net::OutgoingMessage::make(type, data);
    for (net::WebSocket* const socket : all_) socket->send(message);
  }
  void on_close(net::WebSocket&, std::uint16_t, std::string_view) override {}

 private:
  const Subscribers& all_;
};

using Accepted = tl::expected<std::unique_ptr<net::WebSocketHandler>, net::Response>;

net::Router make_router(Subscribers& subscribers) {
  net::Router router;
  net::WebSocketOptions options;
  options.compression = false;
  router.add_websocket("/echo", options,
                       [](const net::Request&) -> Accepted { return std::make_unique<Echo>(); });
  router.add_websocket("/fan", options, [&subscribers](const net::Request&) -> Accepted {
    return std::make_unique<Subscriber>(subscribers);
  });
  router.add_websocket("/publish", options, [&subscribers](const net::Request&) -> Accepted {
    return std::make_unique<Publisher>(subscribers);
  });
  return router;
}

void print_port(int port) {
  std::printf("%d\n", port);
  std::fflush(stdout);
}

// One connection of the bare server. `pending`: received bytes of an incomplete frame.
struct BareConnection {
  std::string pending;
  bool open = false;
};

class BareServer {
 public:
  BareServer() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(at);
    if (bind(listener_, reinterpret_cast<sockaddr*>(&at), size) != 0 ||
        listen(listener_, 4'096) != 0) {
      std::perror("listen");
      std::exit(1);
    }
    getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
    print_port(ntohs(at.sin_port));
    watch(listener_);
  }

  [[noreturn]] void run() {
    std::array<epoll_event, 512> events;
    while (true) {
      const int count = epoll_wait(epoll_, events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd == listener_) {
          accept_all();
        } else {
          read_from(fd);
        }
      }
    }
  }

 private:
  void watch(int fd) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }

  void accept_all() {
    while (true) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
      if (fd < 0) return;
      const int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      const auto at = static_cast<std::size_t>(fd);
      if (connections_.size() <= at) connections_.resize(at + 1);
      connections_[at] = std::make_unique<BareConnection>();
      watch(fd);
    }
  }

  void read_from(int fd) {
    const ssize_t got = recv(fd, buffer_.data(), buffer_.size(), 0);
    auto& connection = connections_[static_cast<std::size_t>(fd)];
    if (got <= 0) {
      close(fd);
      connection.reset();
      return;
    }
    const auto size = static_cast<std::size_t>(got);
    if (connection->open && connection->pending.empty()) {
      const std::size_t used = echo(fd, buffer_.data(), size);
      connection->pending.assign(buffer_.data() + used, size - used);
      return;
    }
    connection->pending.append(buffer_.data(), size);
    std::size_t used = connection->open ? 0 : open(fd, *connection);
    if (connection->open) {
      used += echo(fd, connection->pending.data() + used, connection->pending.size() - used);
      connection->pending.erase(0, used);
    }
  }

  static std::size_t open(int fd, BareConnection& connection) {
    const std::size_t end = connection.pending.find("\r\n\r\n");
    if (end == std::string::npos) return 0;
    const std::string name = "Sec-WebSocket-Key: ";
    net::HandshakeAnswer answer;
    answer.accept =
        net::websocket_accept(std::string_view(connection.pending)
                                  .substr(connection.pending.find(name) + name.size(), 24));
    const std::string head = answer.head();
    send(fd, head.data(), head.size(), MSG_NOSIGNAL);
    connection.open = true;
    return end + 4;
  }

  // Answers the complete frames at the front and returns their size.
  std::size_t echo(int fd, char* data, std::size_t size) {
    out_.clear();
    std::size_t used = 0;
    while (true) {
      const net::HeaderResult frame =
          net::parse_frame_header({data + used, size - used}, net::WebSocketSide::server, false);
      if (frame.status != net::HeaderStatus::ok) break;
      const auto length = static_cast<std::size_t>(frame.header.payload);
      if (size - used < frame.header.size + length) break;
      char* const payload = data + used + frame.header.size;
      net::apply_mask(payload, length, frame.header.mask);
      net::append_frame(out_, {.opcode = frame.header.opcode}, {payload, length});
      used += frame.header.size + length;
    }
    if (!out_.empty()) send(fd, out_.data(), out_.size(), MSG_NOSIGNAL);
    return used;
  }

  int epoll_ = epoll_create1(0);
  int listener_;
  std::vector<std::unique_ptr<BareConnection>> connections_;
  std::array<char, 64U << 10U> buffer_;
  std::string out_;
};

}  // namespace

int serve_parley() {
  const core::SystemClock clock;
  core::SystemEntropy entropy;
  net::Loop loop(clock);
  net::SystemNetwork network;
  net::Metrics metrics;
  net::ServerOptions options;
  options.log_requests = false;
  Subscribers subscribers;
  net::Server server(network, make_router(subscribers), options, metrics, entropy);
  const auto at = server.listen({&loop}, net::Endpoint{});
  if (!at) {
    std::fprintf(stderr, "%s\n", at.error().message.c_str());
    return 1;
  }
  print_port(at->port);
  loop.run();
  return 0;
}

int serve_bare() {
  const auto server = std::make_unique<BareServer>();
  server->run();
}

}  // namespace parley::bench
