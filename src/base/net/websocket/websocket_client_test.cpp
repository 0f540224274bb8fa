// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/websocket/websocket_client.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/net/websocket/websocket_connection.h"
#include "base/net/websocket/websocket_handshake.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/net/memory_network.h"

namespace parley::net {
namespace {

using Words = std::vector<std::string>;

struct ClientLog : WebSocketClientHandler {
  void on_open(WebSocketClient& client) override {
    words.push_back("open " + client.subprotocol() + (client.compressed() ? "*" : ""));
    if (opened) opened(client);
  }
  void on_message(WebSocketClient&, MessageType type, std::string_view data) override {
    words.push_back((type == MessageType::text ? "text " : "binary ") +
                    (data.size() > 40 ? std::to_string(data.size()) : std::string(data)));
  }
  void on_pong(WebSocketClient&, std::string_view payload) override {
    words.push_back("pong " + std::string(payload));
  }
  void on_close(WebSocketClient&, std::uint16_t code, std::string_view reason) override {
    words.push_back("close " + std::to_string(code) + " " + std::string(reason));
  }
  void on_refused(WebSocketClient&, const core::Error& error, const Response& response) override {
    words.push_back("refused " + std::to_string(response.status) + " " + response.body);
    error_code = error.code;
  }
  Words words;
  core::Code error_code = core::Code::unknown;
  std::function<void(WebSocketClient&)> opened;
};

class TwiceEchoHandler : public WebSocketHandler {
 public:
  explicit TwiceEchoHandler(WebSocket** socket) : socket_(socket) {}
  void on_open(WebSocket& socket) override { *socket_ = &socket; }
  void on_message(WebSocket& socket, MessageType type, std::string_view data) override {
    socket.send(OutgoingMessage::make(type, data));
    if (type == MessageType::text) socket.send_text(data);
  }
  void on_close(WebSocket&, std::uint16_t, std::string_view) override {}

 private:
  WebSocket** socket_;
};

// A server that reads one request head and answers with WebSocketService, or with fixed bytes.
class WebSocketClientTest : public ::testing::Test, private StreamHandler {
 protected:
  void SetUp() override {
    auto created = network.listen(scheduler, {}, [this](std::unique_ptr<Stream> stream) {
      accepted = std::move(stream);
      accepted->set_handler(this);
    });
    listener = std::move(*created);
  }
  void connect(WebSocketClientOptions options = {}) {
    client.emplace(entropy, log, std::move(options));
    client->connect(network, scheduler, listener->endpoint());
    scheduler.run_ready();
  }

  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  core::SeededEntropy entropy{4};
  MemoryNetwork network{{.max_piece = 50, .seed = 2}};
  WebSocketOptions server_options;
  std::string fixed_answer;
  WebSocket* socket = nullptr;
  Request request;
  ClientLog log;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Stream> accepted;
  std::optional<WebSocketService> service{WebSocketLimits{}};
  std::optional<WebSocketClient> client;

 private:
  void on_data(Stream& stream, char* data, std::size_t size) override {
    head_.append(data, size);
    if (!head_.ends_with("\r\n\r\n")) return;
    if (!fixed_answer.empty()) {
      stream.write(fixed_answer);
      stream.finish();
      return;
    }
    request.method = "GET";
    for (std::size_t at = head_.find("\r\n") + 2; at + 2 < head_.size();) {
      const std::size_t end = head_.find("\r\n", at);
      const std::size_t colon = head_.find(": ", at);
      request.headers.add(head_.substr(at, colon - at), head_.substr(colon + 2, end - colon - 2));
      at = end + 2;
    }
    const auto answer = answer_handshake(request, server_options);
    ASSERT_TRUE(answer.has_value());
    stream.write(answer->head());
    service->adopt(std::move(accepted), std::make_unique<TwiceEchoHandler>(&socket),
                   {.deflate = answer->deflate, .subprotocol = answer->subprotocol});
  }
  void on_closed(Stream&) override {}

  std::string head_;
};

TEST_F(WebSocketClientTest, Client_OpensSendsAndCloses) {
  server_options.subprotocols = {"loom"};
  connect({.headers = {{"Authorization", "Bearer T"}}, .subprotocols = {"chat", "loom"}});
  EXPECT_EQ(request.headers.get("Authorization"), "Bearer T");
  ASSERT_TRUE(client->open());
  EXPECT_EQ(socket->subprotocol(), "loom");
  client->send_text("hello");
  client->send_binary("\x01");
  client->ping("there?");
  scheduler.run_ready();
  client->close(1000, "done");
  scheduler.run_ready();
  EXPECT_EQ(log.words, (Words{"open loom", "text hello", "text hello", "binary \x01", "pong there?",
                              "close 1000 "}));
}

TEST_F(WebSocketClientTest, AgreedCompression_WorksBothWays) {
  connect({.offer_deflate = true});
  std::string page;
  while (page.size() < 5'000) page += "a page of text ";
  client->send_text(page);
  scheduler.run_ready();
  const std::string size = std::to_string(page.size());
  EXPECT_EQ(log.words, (Words{"open *", "text " + size, "text " + size}));
}

TEST_F(WebSocketClientTest, CompressedMessageOverLimit_IsTooBig) {
  connect({.offer_deflate = true});
  client->send_binary(std::string((16U << 20U) + 1, 'x'));
  scheduler.run_ready();
  EXPECT_EQ(log.words.back(), "close 1009 message too big");
}

TEST_F(WebSocketClientTest, CorruptCompressedData_IsRefused) {
  connect({.offer_deflate = true});
  // RSV1, binary, masked with 0.
  client->send_raw(std::string("\xc2\x84\0\0\0\0\xff\xff\xff\xff", 10));
  scheduler.run_ready();
  EXPECT_EQ(log.words.back(), "close 1007 compressed data is corrupt");
}

TEST_F(WebSocketClientTest, CompressedText_IsCheckedToo) {
  connect({.offer_deflate = true});
  DeflateCodec codec;
  std::string compressed;
  ASSERT_TRUE(codec.compress(std::string(1'000, '\xff'), compressed));
  std::string frame;
  append_frame(frame, {.compressed = true, .mask = MaskKey{1, 2, 3, 4}}, compressed);
  client->send_raw(frame);
  scheduler.run_ready();
  EXPECT_EQ(log.words.back(), "close 1007 text is not UTF-8");
}

TEST_F(WebSocketClientTest, ServerClose_IsAnswered) {
  connect();
  socket->close(4001, "revoked");
  scheduler.run_ready();
  EXPECT_EQ(log.words.back(), "close 4001 revoked");
  scheduler.run_ready();
  EXPECT_EQ(service->count(), 0U);
}

TEST_F(WebSocketClientTest, Refusal_IsReportedWithBody) {
  fixed_answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 6\r\n\r\nno way";
  connect();
  EXPECT_EQ(log.words, Words{"refused 403 no way"});
}

TEST_F(WebSocketClientTest, WrongAccept_IsRefused) {
  fixed_answer =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n";
  connect();
  EXPECT_EQ(log.words, Words{"refused 101 "});
}

TEST_F(WebSocketClientTest, ConnectionEndingInHandshake_IsUnavailable) {
  fixed_answer = "HTTP/1.1 ";
  connect();
  EXPECT_EQ(log.words.size(), 1U);
  EXPECT_EQ(log.error_code, core::Code::unavailable);
}

TEST_F(WebSocketClientTest, UnansweredHandshake_TimesOut) {
  auto silent =
      network.listen(scheduler, {}, [this](auto stream) { accepted = std::move(stream); });
  client.emplace(entropy, log, WebSocketClientOptions{});
  client->connect(network, scheduler, (*silent)->endpoint());
  scheduler.advance(core::Millis(10'000));
  EXPECT_EQ(log.error_code, core::Code::deadline_exceeded);
}

TEST_F(WebSocketClientTest, NoListener_IsRefusal) {
  client.emplace(entropy, log, WebSocketClientOptions{});
  client->connect(network, scheduler, {"host", 1});
  scheduler.run_ready();
  EXPECT_EQ(log.error_code, core::Code::unavailable);
}

TEST_F(WebSocketClientTest, Client_MayBeDestroyedWhileConnecting) {
  client.emplace(entropy, log, WebSocketClientOptions{});
  client->connect(network, scheduler, listener->endpoint());
  client.reset();
  scheduler.run_ready();
  EXPECT_TRUE(log.words.empty());
}

TEST_F(WebSocketClientTest, CutConnection_EndsWithoutCloseFrame) {
  connect();
  client->cut();
  scheduler.run_ready();
  EXPECT_EQ(log.words, Words{"open "});
  EXPECT_EQ(service->count(), 0U);
}

}  // namespace
}  // namespace parley::net
