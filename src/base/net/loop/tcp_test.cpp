// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/loop/tcp.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/core/entropy.h"
#include "base/core/temp_folder.h"
#include "base/net/loop/tcp_stream.h"
#include "base/net/websocket/websocket_client.h"
#include "base/net/websocket/websocket_connection.h"
#include "base/net/websocket/websocket_handshake.h"

namespace parley::net {
namespace {

using core::Millis;

// Time-out of a hanging test.
constexpr Millis kPatience{120'000};  // far more than a slow computer with a sanitizer needs

struct Peer : StreamHandler {
  void on_data(Stream& stream, char* data, std::size_t size) override {
    bytes.append(data, size);
    if (received) received(stream);
  }
  void on_end(Stream& stream) override {
    if (ended) ended(stream);
  }
  void on_drained(Stream& stream) override {
    if (drained) drained(stream);
  }
  void on_closed(Stream&) override {
    if (closed) closed();
  }
  std::string bytes;
  std::function<void(Stream&)> received;
  std::function<void(Stream&)> ended;
  std::function<void(Stream&)> drained;
  std::function<void()> closed;
};

class TcpTest : public ::testing::Test {
 protected:
  TcpTest() {
    loop.after(kPatience, [this] {
      ADD_FAILURE() << "took too long";
      loop.stop();
    });
  }
  // A connection: `server` and `client` are its ends once `then` runs.
  void open(std::function<void()> then) {
    auto created = network.listen(loop, {}, [this, then](std::unique_ptr<Stream> stream) {
      server = std::move(stream);
      server->set_handler(&at_server);
      if (client) then();
    });
    ASSERT_TRUE(created.has_value()) << created.error().message;
    listener = std::move(*created);
    network.connect(loop, listener->endpoint(), [this, then](auto stream) {
      ASSERT_TRUE(stream.has_value()) << stream.error().message;
      client = std::move(*stream);
      client->set_handler(&at_client);
      if (server) then();
    });
  }

  core::SystemClock clock;
  Loop loop{clock};
  int refusals = 0;  // number of accept calls that fail for lack of descriptors
  SystemNetwork network{[this](int socket, sockaddr* from, socklen_t* size, int flags) {
    if (refusals == 0) return ::accept4(socket, from, size, flags);
    --refusals;
    errno = EMFILE;
    return -1;
  }};
  Peer at_server;
  Peer at_client;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Stream> server;
  std::unique_ptr<Stream> client;
};

TEST_F(TcpTest, Bytes_AreCarriedBothWays) {
  at_server.received = [&](Stream& stream) { stream.write("pong"); };
  at_client.received = [&](Stream&) {
    if (at_client.bytes.size() == 4) loop.stop();
  };
  open([&] { client->write("ping"); });
  loop.run();
  EXPECT_EQ(at_server.bytes, "ping");
  EXPECT_EQ(at_client.bytes, "pong");
  EXPECT_EQ(server->peer(), "127.0.0.1");
  EXPECT_FALSE(server->secure());
}

TEST_F(TcpTest, LargeMixOfWrites_KeepsOrder_ReportsDrain) {
  std::string expected;
  bool drained = false;
  at_client.drained = [&](Stream&) { drained = true; };
  at_server.ended = [&](Stream& stream) { stream.finish(); };
  at_client.closed = [&] { loop.stop(); };
  open([&] {
    for (int i = 0; i < 300; ++i) {
      std::string small(static_cast<std::size_t>(i % 90), static_cast<char>('a' + i % 26));
      auto large = std::make_shared<const std::string>(static_cast<std::size_t>(50'000 + i),
                                                       static_cast<char>('A' + i % 26));
      client->write(small);
      client->write_shared(large);
      expected += small + *large;
    }
    EXPECT_GT(client->queued(), Stream::kHighWatermark);
    client->finish();
  });
  loop.run();
  EXPECT_TRUE(at_server.bytes == expected);
  EXPECT_TRUE(drained);
  EXPECT_EQ(client->queued(), 0U);
}

TEST_F(TcpTest, PausedReader_ReadsNothingUntilResumed) {
  at_server.received = [&](Stream&) { loop.stop(); };
  open([&] {
    server->pause_reading(true);
    client->write("wait");
    loop.after(Millis(20), [&] {
      EXPECT_EQ(at_server.bytes, "");
      server->pause_reading(false);
    });
  });
  loop.run();
  EXPECT_EQ(at_server.bytes, "wait");
}

TEST_F(TcpTest, VanishedPeer_IsReported) {
  at_server.ended = [&](Stream& stream) { stream.finish(); };
  at_server.closed = [&] {
    server.reset();
    loop.stop();
  };
  open([&] { client.reset(); });
  loop.run();
  EXPECT_EQ(server, nullptr);
}

TEST_F(TcpTest, Stream_MayBeDestroyedInEveryCallback) {
  at_server.received = [&](Stream&) { server.reset(); };
  at_client.ended = [&](Stream&) {
    client.reset();
    loop.stop();
  };
  open([&] { client->write("x"); });
  loop.run();
  EXPECT_EQ(client, nullptr);
}

TEST_F(TcpTest, ForeignPort_IsRefused_OwnPortIsShared) {
  auto first = network.listen(loop, {}, [](auto) {});
  const Endpoint at = (*first)->endpoint();
  SystemNetwork other;
  const auto refused = other.listen(loop, at, [](auto) {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, core::Code::failed_precondition);
  EXPECT_NE(refused.error().message.find(at.to_string()), std::string::npos);
  EXPECT_TRUE(network.listen(loop, at, [](auto) {}).has_value());
  first->reset();
  EXPECT_TRUE(other.listen(loop, at, [](auto) {}).has_value());
}

TEST_F(TcpTest, ForeignAddress_IsRefused) {
  const auto refused = network.listen(loop, {"192.0.2.1", 0}, [](auto) {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, core::Code::invalid_argument);
}

TEST_F(TcpTest, Connect_WithoutListener_IsUnavailable) {
  Endpoint gone;
  {
    auto created = network.listen(loop, {}, [](auto) {});
    gone = (*created)->endpoint();
  }
  core::Code code = core::Code::unknown;
  network.connect(loop, gone, [&](auto stream) {
    code = stream.error().code;
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(code, core::Code::unavailable);
}

// epoll refuses regular files.
TEST_F(TcpTest, DescriptorRefusedByEpoll_EndsOnlyConnection) {
  const core::TempFolder folder;
  const int fd = ::open(folder.file("plain").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(fd, 0);
  Peer refused;
  bool closed = false;
  refused.closed = [&] { closed = true; };
  open([&] {
    server->write("still served");
    at_client.received = [&](Stream&) { loop.stop(); };
  });
  std::unique_ptr<Stream> stream;
  loop.post([&] {
    stream = std::make_unique<TcpStream>(loop, fd, "nobody");
    stream->set_handler(&refused);
    EXPECT_FALSE(closed) << "not from inside a call into the stream";
  });
  loop.run();
  EXPECT_TRUE(closed);
  EXPECT_EQ(at_client.bytes, "still served");
}

// Uses a replacement of accept4(2): a sanitizer needs descriptors itself and fails in a process
// without any.
TEST_F(TcpTest, Accepting_ResumesAfterDescriptorShortage) {
  refusals = 3;
  open([&] { loop.stop(); });
  loop.run();
  EXPECT_NE(server, nullptr);
  EXPECT_EQ(refusals, 0);
  EXPECT_EQ(network.accept_pauses(), 3U);
}

// An echo server on two threads: every connection moves to the other thread at its first message,
// with unprocessed bytes behind it.
class MovingEcho : public WebSocketHandler {
 public:
  MovingEcho(Loop& home, Loop& away, std::atomic<int>& arrived)
      : home_(home), away_(away), arrived_(arrived) {}
  void on_open(WebSocket&) override {}
  void on_message(WebSocket& socket, MessageType, std::string_view data) override {
    EXPECT_TRUE(socket.scheduler().in_thread());
    socket.send_text(data);
    if (data == "0") {
      Loop& target = &socket.scheduler() == &home_ ? away_ : home_;
      socket.move_to(target, [this, &target] {
        EXPECT_TRUE(target.in_thread());
        ++arrived_;
      });
    }
  }
  void on_close(WebSocket& socket, std::uint16_t, std::string_view) override {
    EXPECT_TRUE(socket.scheduler().in_thread());
  }

 private:
  Loop& home_;
  Loop& away_;
  std::atomic<int>& arrived_;
};

// Reads the head of the request and hands the stream to the service.
class Upgrade : public StreamHandler {
 public:
  using Made = std::function<std::unique_ptr<WebSocketHandler>()>;
  Upgrade(std::unique_ptr<Stream> stream, WebSocketService& service, Made created)
      : stream_(std::move(stream)), service_(service), made_(std::move(created)) {
    stream_->set_handler(this);
  }
  void on_data(Stream& stream, char* data, std::size_t size) override {
    head_.append(data, size);
    const std::size_t end = head_.find("\r\n\r\n");
    if (end == std::string::npos) return;
    const std::string name = "Sec-WebSocket-Key: ";
    HandshakeAnswer answer;
    answer.accept = websocket_accept(head_.substr(head_.find(name) + name.size(), 24));
    stream.write(answer.head());
    service_.adopt(std::move(stream_), made_(), {}, std::string_view(head_).substr(end + 4));
  }
  void on_closed(Stream&) override {}

 private:
  std::unique_ptr<Stream> stream_;
  WebSocketService& service_;
  Made made_;
  std::string head_;
};

class CountingClient : public WebSocketClientHandler {
 public:
  explicit CountingClient(std::function<void()> done) : done_(std::move(done)) {}
  void on_open(WebSocketClient& client) override {
    for (int i = 0; i < kMessages; ++i) client.send_text(std::to_string(i));
  }
  void on_message(WebSocketClient& client, MessageType, std::string_view data) override {
    EXPECT_EQ(data, std::to_string(next_++));
    if (next_ == kMessages) client.close(1000, "");
  }
  void on_close(WebSocketClient&, std::uint16_t code, std::string_view) override {
    EXPECT_EQ(code, 1000);
    done_();
  }
  void on_refused(WebSocketClient&, const core::Error& error, const Response&) override {
    ADD_FAILURE() << error.message;
    done_();
  }
  static constexpr int kMessages = 200;

 private:
  std::function<void()> done_;
  int next_ = 0;
};

TEST(TcpThreads, WebSocketsMovingThreads_LoseNoMessage) {
  constexpr int kClients = 40;
  core::SystemClock clock;
  core::SystemEntropy entropy;
  SystemNetwork network;
  Loop first(clock);
  Loop second(clock);
  Loop clients_loop(clock);
  std::atomic<int> arrived{0};
  std::vector<std::unique_ptr<Upgrade>> upgrades[2];
  WebSocketService service({});
  std::vector<std::unique_ptr<Listener>> listeners;
  Endpoint at;
  Loop* const loops[2] = {&first, &second};
  for (std::size_t i = 0; i < 2; ++i) {
    auto created = network.listen(*loops[i], at, [&, i](std::unique_ptr<Stream> stream) {
      upgrades[i].push_back(std::make_unique<Upgrade>(std::move(stream), service, [&] {
        return std::make_unique<MovingEcho>(first, second, arrived);
      }));
    });
    ASSERT_TRUE(created.has_value());
    at = (*created)->endpoint();
    listeners.push_back(std::move(*created));
  }
  std::thread first_thread([&] { first.run(); });
  std::thread second_thread([&] { second.run(); });
  int done = 0;
  std::vector<std::unique_ptr<CountingClient>> handlers;
  std::vector<std::unique_ptr<WebSocketClient>> clients;
  for (int i = 0; i < kClients; ++i) {
    handlers.push_back(std::make_unique<CountingClient>([&] {
      if (++done == kClients) clients_loop.stop();
    }));
    clients.push_back(
        std::make_unique<WebSocketClient>(entropy, *handlers.back(), WebSocketClientOptions{}));
    clients.back()->connect(network, clients_loop, at);
  }
  clients_loop.after(kPatience, [&] {
    ADD_FAILURE() << "took too long";
    clients_loop.stop();
  });
  clients_loop.run();
  listeners.clear();
  first.stop();
  second.stop();
  first_thread.join();
  second_thread.join();
  EXPECT_EQ(done, kClients);
  EXPECT_EQ(arrived, kClients);
}

}  // namespace
}  // namespace parley::net
