// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/scheduler.h"
#include "base/net/websocket/websocket_connection.h"
#include "base/net/websocket/websocket_handshake.h"
#include "programs/agent_client/envelope.h"
#include "tests/support/net/memory_network.h"

namespace parley::agent_client {

// A scripted relay on a MemoryNetwork: accepts the opening handshake, sends relay.hello, and
// answers each message as the test specifies.
class RelayDouble final : private net::StreamHandler {
 public:
  using Answer = std::function<void(const Envelope&)>;

  RelayDouble(net::MemoryNetwork& network, core::Scheduler& scheduler) {
    auto created = network.listen(scheduler, {}, [this](std::unique_ptr<net::Stream> stream) {
      ++connections;
      head_.clear();
      accepted_ = std::move(stream);
      accepted_->set_handler(this);
    });
    listener_ = std::move(*created);
  }
  RelayDouble(const RelayDouble&) = delete;
  RelayDouble& operator=(const RelayDouble&) = delete;
  ~RelayDouble() override = default;

  net::Endpoint endpoint() const { return listener_->endpoint(); }
  void send_text(const std::string& text) {
    if (socket_ != nullptr) socket_->send_text(text);
  }
  void send(const Envelope& envelope) { send_text(write_envelope(envelope)); }
  void close(std::uint16_t code) {
    if (socket_ != nullptr) socket_->close(code, "");
  }
  // The raw id of the latest message of this type.
  std::string id_of(std::string_view type) const {
    std::string found;
    for (const Envelope& each : received) {
      if (each.type == type) found = each.id;
    }
    return found;
  }

  std::vector<Envelope> received;
  std::string request_head;  // of the latest handshake
  std::string fixed_answer;  // sent instead of the handshake's answer, unless it is empty
  Answer on_receive = [this](const Envelope& envelope) {
    if (envelope.type == "relay.join") {
      send({"relay.joined", "", envelope.id, R"({"role":"agent","sessionId":"default"})"});
    }
  };
  int connections = 0;

 private:
  class Handler final : public net::WebSocketHandler {
   public:
    explicit Handler(RelayDouble& relay) : relay_(relay) {}
    void on_open(net::WebSocket& socket) override {
      relay_.socket_ = &socket;
      socket.send_text(
          R"({"v":"mvp-0.2","type":"relay.hello","payload":{"message":"Send relay.join with role=host|agent"}})");
    }
    void on_message(net::WebSocket& /*socket*/, net::MessageType /*type*/,
                    std::string_view data) override {
      const auto envelope = read_envelope(data);
      if (!envelope) return;
      relay_.received.push_back(*envelope);
      relay_.on_receive(*envelope);
    }
    void on_close(net::WebSocket& socket, std::uint16_t /*code*/,
                  std::string_view /*reason*/) override {
      if (relay_.socket_ == &socket) relay_.socket_ = nullptr;
    }

   private:
    RelayDouble& relay_;
  };

  void on_data(net::Stream& stream, char* data, std::size_t size) override {
    head_.append(data, size);
    if (!head_.ends_with("\r\n\r\n")) return;
    request_head = head_;
    if (!fixed_answer.empty()) {
      stream.write(fixed_answer);
      stream.finish();
      return;
    }
    net::Request request;
    request.method = "GET";
    for (std::size_t at = head_.find("\r\n") + 2; at + 2 < head_.size();) {
      const std::size_t end = head_.find("\r\n", at);
      const std::size_t colon = head_.find(": ", at);
      request.headers.add(head_.substr(at, colon - at), head_.substr(colon + 2, end - colon - 2));
      at = end + 2;
    }
    const auto answer = net::answer_handshake(request, {});
    if (!answer) return;
    stream.write(answer->head());
    service_.adopt(std::move(accepted_), std::make_unique<Handler>(*this),
                   {.deflate = answer->deflate, .subprotocol = answer->subprotocol});
  }
  void on_closed(net::Stream& /*stream*/) override {}

  std::unique_ptr<net::Listener> listener_;
  std::unique_ptr<net::Stream> accepted_;
  std::string head_;
  net::WebSocket* socket_ = nullptr;
  net::WebSocketService service_{net::WebSocketLimits{}};
};

}  // namespace parley::agent_client
