// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/link/handshake_forwarder.h"

#include <string>
#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/net/http/http_answer.h"
#include "tests/support/link/forwarded_request.h"
#include "tests/support/link/stream_relay.h"

namespace parley::link {

// One connection: on its way to the home, then passed on, or refused.
class HandshakeForwarder::Passage final : public net::StreamHandler,
                                          public std::enable_shared_from_this<Passage> {
 public:
  Passage(HandshakeForwarder& owner, LinkTarget to, int hops, std::string first,
          std::string request_id, std::unique_ptr<net::Stream> client)
      : owner_(owner),
        to_(std::move(to)),
        as_{client->peer(), client->secure(), hops, LinkKind::request},
        first_(std::move(first)),
        request_id_(std::move(request_id)),
        client_(std::move(client)) {
    client_->set_handler(this);
    owner_.counters_->open.fetch_add(1, std::memory_order_relaxed);
  }
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;
  ~Passage() override { owner_.counters_->open.fetch_sub(1, std::memory_order_relaxed); }

  void connect() {
    owner_.links_.open(
        to_, as_, first_,
        core::unless_gone(weak_from_this(), [](Passage& self, LinkClient::Opened opened) {
          if (opened) return self.pass(std::move(*opened));
          self.not_opened(opened.error());
        }));
  }

  void refuse(net::Response response) {
    owner_.counters_->failed.fetch_add(1, std::memory_order_relaxed);
    net::AnswerContext context;
    context.keep_alive = false;
    context.request_id = request_id_;
    net::DateField date;
    client_->write(net::render_head(response, context, net::BodyFraming::sized,
                                    date.at(owner_.scheduler_.clock().wall())));
    client_->write(response.body);
    client_->pause_reading(false);
    client_->finish();
  }

 private:
  void not_opened(const LinkError& error) {
    const std::optional<LinkTarget> next =
        error.successor == kNoNode || has_followed_ ? std::nullopt : owner_.find_(error.successor);
    if (!next) return refuse(home_unreached(error.error.message));
    has_followed_ = true;
    to_ = *next;
    connect();
  }

  void pass(std::unique_ptr<net::Stream> home) {
    owner_.counters_->forwarded.fetch_add(1, std::memory_order_relaxed);
    first_ = std::string();
    relay_ = std::make_unique<StreamRelay>(std::move(client_), std::move(home),
                                           [this](const RelayOutcome&) { end(); });
  }

  // Of a client that is refused, or has gone before the home was reached.
  void on_data(net::Stream& /*stream*/, char* /*data*/, std::size_t /*size*/) override {}
  void on_closed(net::Stream& /*stream*/) override { end(); }

  void end() { owner_.passages_.erase(this); }

  HandshakeForwarder& owner_;
  LinkTarget to_;
  const LinkedClient as_;
  std::string first_;  // handshake and what is behind it; empty once the home has got it
  const std::string request_id_;
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
  PARLEY_ASSERT(scheduler_.in_thread(),
                "handshake " + handshake.id + " is forwarded by the thread of another one");
  const bool is_full = counters_->open.load(std::memory_order_relaxed) >= most_;
  auto passage =
      std::make_shared<Passage>(*this, std::move(to), hops, handshake_of(handshake).append(unread),
                                handshake.id, std::move(client));
  passages_.emplace(passage.get(), passage);
  if (!is_full) return passage->connect();
  passage->refuse(
      home_unreached("This node has reached its limit of WebSockets that other nodes serve. "
                     "Try again later, or connect to another node."));
}

}  // namespace parley::link
