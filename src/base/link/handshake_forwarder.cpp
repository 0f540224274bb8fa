// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/handshake_forwarder.h"

#include <string>
#include <utility>
#include <vector>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/link/forwarded_request.h"
#include "base/link/stream_relay.h"
#include "base/net/http/http_answer.h"
#include "base/net/websocket/websocket.h"
#include "base/net/websocket/websocket_codec.h"

namespace parley::link {

// One connection: on its way to the home, then passed on, or refused.
class HandshakeForwarder::Passage final : public net::StreamHandler,
                                          public std::enable_shared_from_this<Passage> {
 public:
  Passage(HandshakeForwarder& owner, Begin with, std::unique_ptr<net::Stream> client)
      : owner_(owner),
        with_(std::move(with)),
        as_{client->peer(), client->secure(), with_.hops,
            with_.is_answered ? LinkKind::websocket : LinkKind::request},
        client_(std::move(client)) {
    client_->set_handler(this);
    owner_.counters_->open.fetch_add(1, std::memory_order_relaxed);
  }
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;
  ~Passage() override { owner_.counters_->open.fetch_sub(1, std::memory_order_relaxed); }

  NodeNumber node() const { return with_.to.number; }

  void connect() {
    owner_.links_.open(
        with_.to, as_, with_.first,
        core::unless_gone(weak_from_this(), [](Passage& self, LinkClient::Opened opened) {
          if (opened) return self.pass(std::move(*opened));
          self.not_opened(opened.error());
        }));
  }

  void refuse(const std::string& sentence) {
    owner_.counters_->failed.fetch_add(1, std::memory_order_relaxed);
    client_->write(with_.is_answered ? closing(sentence) : answer(home_unreached(sentence)));
    client_->pause_reading(false);
    client_->finish();
  }

 private:
  void not_opened(const LinkError& error) {
    const std::optional<LinkTarget> next =
        error.successor == kNoNode || has_followed_ ? std::nullopt : owner_.find_(error.successor);
    if (!next) return refuse(error.error.message);
    has_followed_ = true;
    with_.to = *next;
    connect();
  }

  void pass(std::unique_ptr<net::Stream> home) {
    owner_.counters_->forwarded.fetch_add(1, std::memory_order_relaxed);
    with_.first = std::string();
    StreamRelay::CheckHead check;
    if (with_.is_answered) {
      check = [compresses = with_.compresses](std::string_view head) {
        return check_answer(head, compresses);
      };
    }
    relay_ = std::make_unique<StreamRelay>(
        std::move(client_), std::move(home),
        [this](const RelayOutcome& outcome) {
          if (outcome.end == RelayEnd::bad_head) {
            owner_.counters_->failed.fetch_add(1, std::memory_order_relaxed);
          }
          end();
        },
        std::move(check));
  }

  // The home must have accepted the handshake on the terms of this node.
  static core::Result<void> check_answer(std::string_view head, bool compresses) {
    if (!head.starts_with("HTTP/1.1 101 ")) {
      return core::fail(core::Code::unavailable, "The home did not accept the WebSocket.");
    }
    if ((head.find("permessage-deflate") != std::string_view::npos) != compresses) {
      return core::fail(core::Code::unavailable,
                        "The home and this node differ in the setting of compression.");
    }
    return {};
  }

  std::string answer(const net::Response& response) const {
    net::AnswerContext context;
    context.keep_alive = false;
    context.request_id = with_.request_id;
    net::DateField date;
    return net::render_head(response, context, net::BodyFraming::sized,
                            date.at(owner_.scheduler_.clock().wall())) +
           response.body;
  }

  static std::string closing(std::string_view sentence) {
    std::string frame;
    net::append_frame(frame, {.opcode = net::Opcode::close},
                      net::close_payload(net::close_code::kTryAgainLater, sentence));
    return frame;
  }

  // Calls of a client that is refused, or that leaves before the home is reached.
  void on_data(net::Stream& /*stream*/, char* /*data*/, std::size_t /*size*/) override {}
  void on_closed(net::Stream& /*stream*/) override { end(); }

  void end() { owner_.passages_.erase(this); }

  HandshakeForwarder& owner_;
  Begin with_;  // `first` is empty once the home has got it
  const LinkedClient as_;
  std::unique_ptr<net::Stream> client_;  // until the relay has it
  std::unique_ptr<StreamRelay> relay_;
  bool has_followed_ = false;  // a successor
};

HandshakeForwarder::HandshakeForwarder(core::Scheduler& scheduler, LinkClient& links, Find find,
                                       std::shared_ptr<HandshakeCounters> counters,
                                       std::size_t most)
    : scheduler_(scheduler),
      links_(links),
      find_(std::move(find)),
      counters_(std::move(counters)),
      most_(most) {}

HandshakeForwarder::~HandshakeForwarder() = default;

void HandshakeForwarder::forward(LinkTarget to, int hops, const net::Request& handshake,
                                 std::unique_ptr<net::Stream> client, std::string_view unread) {
  begin({std::move(to), hops, handshake_of(handshake).append(unread), handshake.id},
        std::move(client));
}

void HandshakeForwarder::forward_answered(LinkTarget to, int hops, const net::Request& handshake,
                                          bool compresses, std::string_view frames,
                                          std::unique_ptr<net::Stream> client,
                                          std::string_view unread) {
  std::string first = handshake_of(handshake, compresses).append(frames).append(unread);
  begin({std::move(to), hops, std::move(first), handshake.id, true, compresses}, std::move(client));
}

void HandshakeForwarder::keep_only(const NodeNumbers& nodes) {
  std::vector<std::shared_ptr<Passage>> cut;
  for (const auto& [key, passage] : passages_) {
    if (!has_node(nodes, passage->node())) cut.push_back(passage);
  }
  for (const auto& each : cut) passages_.erase(each.get());
}

void HandshakeForwarder::begin(Begin with, std::unique_ptr<net::Stream> client) {
  PARLEY_ASSERT(scheduler_.in_thread(),
                "handshake " + with.request_id + " is forwarded by the thread of another one");
  const std::size_t open = counters_->open.load(std::memory_order_relaxed);
  if (open >= most_ + kMaxRefusedSockets) {
    counters_->failed.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  auto passage = std::make_shared<Passage>(*this, std::move(with), std::move(client));
  passages_.emplace(passage.get(), passage);
  if (open < most_) return passage->connect();
  passage->refuse(
      "This node has reached its limit of WebSockets that other nodes serve. Try again later.");
}

}  // namespace parley::link
