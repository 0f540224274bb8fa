// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/request_forwarder.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/link/forwarded_request.h"
#include "base/link/response_reader.h"

namespace parley::link {
namespace {

// Time between two looks at a client that does not take its answer.
constexpr core::Millis kLookPause{20};

// True for a request that changes nothing, so that it may be sent twice.
bool is_repeatable(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

std::string key_of(const LinkTarget& to, const LinkedClient& client) {
  return std::to_string(to.number) + (client.secure ? " s " : " p ") + client.address;
}

}  // namespace

// A connection that waits for a further request. Anything that happens on it ends it.
class RequestForwarder::IdleLink final : public net::StreamHandler {
 public:
  IdleLink(RequestForwarder& owner, NodeNumber node, std::string key,
           std::unique_ptr<net::Stream> stream)
      : owner_(owner), node_(node), key_(std::move(key)), stream_(std::move(stream)) {
    stream_->set_handler(this);
    timer_ = owner_.scheduler_.after(owner_.limits_.idle, [this] {
      timer_ = 0;
      owner_.drop(*this);
    });
  }
  IdleLink(const IdleLink&) = delete;
  IdleLink& operator=(const IdleLink&) = delete;
  ~IdleLink() override { owner_.scheduler_.cancel(timer_); }

  NodeNumber node() const { return node_; }
  const std::string& key() const { return key_; }
  std::unique_ptr<net::Stream> take() {
    stream_->set_handler(nullptr);
    return std::move(stream_);
  }

 private:
  void on_data(net::Stream& /*stream*/, char* /*data*/, std::size_t /*size*/) override {
    owner_.drop(*this);
  }
  void on_end(net::Stream& /*stream*/) override { owner_.drop(*this); }
  void on_closed(net::Stream& /*stream*/) override { owner_.drop(*this); }

  RequestForwarder& owner_;
  const NodeNumber node_;
  const std::string key_;
  std::unique_ptr<net::Stream> stream_;
  core::TimerId timer_ = 0;
};

// One request and its answer. Held by its forwarder until the answer is passed on.
class RequestForwarder::Exchange final : public net::StreamHandler,
                                         public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(RequestForwarder& owner, LinkTarget to, int hops, net::Request request,
           net::Responder responder, Unreached unreached)
      : owner_(owner),
        to_(std::move(to)),
        client_{request.peer, request.secure, hops, LinkKind::request},
        is_repeatable_(is_repeatable(request.method)),
        wire_(wire_of(request)),
        responder_(std::move(responder)),
        unreached_(std::move(unreached)) {
    if (unreached_) request_ = std::move(request);
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() override { owner_.scheduler_.cancel(timer_); }

  void start() {
    responder_->on_disconnect(core::unless_gone(weak_from_this(), &Exchange::client_ended));
    std::unique_ptr<net::Stream> kept = owner_.take_idle(key_of(to_, client_));
    if (kept == nullptr) return connect();
    owner_.counters_->reused.fetch_add(1, std::memory_order_relaxed);
    is_reused_ = true;
    use(std::move(kept));
    stream_->write(wire_);
    sent();
  }

  NodeNumber node() const { return to_.number; }
  void node_lost() {
    if (stream_ != nullptr) return broken("It has lost its lease.");
    unreached(home_unreached("The server of this workspace, node \"" + to_.name +
                             "\", has lost its lease."));
  }

 private:
  // Each may end this exchange as its last act.
  void connect() {
    is_reused_ = false;
    owner_.links_.open(
        to_, client_, wire_,
        core::unless_gone(weak_from_this(), [](Exchange& self, LinkClient::Opened opened) {
          if (!opened) return self.not_opened(opened.error());
          self.use(std::move(*opened));
          self.sent();
        }));
  }

  // Only a request that may be sent twice is still needed.
  void sent() {
    if (!is_repeatable_) drop_request();
    if (has_client_ended_) stream_->finish();
  }

  void drop_request() {
    wire_ = std::string();
    request_ = {};
    unreached_ = nullptr;
  }

  void not_opened(const LinkError& error) {
    const std::optional<LinkTarget> next =
        error.successor == kNoNode || has_followed_ ? std::nullopt : owner_.find_(error.successor);
    if (!next) return unreached(home_unreached(error.error.message));
    has_followed_ = true;
    to_ = *next;
    connect();
  }

  void unreached(net::Response answer) {
    if (!unreached_ || has_client_ended_) return fail(std::move(answer));
    owner_.counters_->requests.fetch_sub(1, std::memory_order_relaxed);
    net::Responder responder = *std::exchange(responder_, std::nullopt);
    Unreached take_back = std::move(unreached_);
    net::Request request = std::move(request_);
    end(false);
    take_back(std::move(request), std::move(responder), std::move(answer));
  }

  void use(std::unique_ptr<net::Stream> stream) {
    stream_ = std::move(stream);
    reader_.emplace();
    stream_->set_handler(this);
    stream_->pause_reading(false);
  }

  void on_data(net::Stream& /*stream*/, char* data, std::size_t size) override {
    const auto self = shared_from_this();
    const core::Result<void> read = reader_->feed({data, size});
    if (!read) return broken(read.error().message);
    pass_on();
  }

  void on_end(net::Stream& /*stream*/) override {
    const auto self = shared_from_this();
    lost();
  }

  void on_closed(net::Stream& /*stream*/) override {
    const auto self = shared_from_this();
    lost();
  }

  void lost() {
    if (is_reused_ && !reader_->has_begun() && is_repeatable_) {
      owner_.release(std::move(stream_));
      return connect();
    }
    if (const core::Result<void> read = reader_->finish(); !read) {
      return broken("The connection to it was lost. " + read.error().message);
    }
    pass_on();
  }

  void broken(const std::string& why) {
    fail(home_broken("The server of this workspace, node \"" + to_.name +
                     "\", gave no answer, and may have done what was asked. " + why));
  }

  // Passes on what has been read.
  void pass_on() {
    if (!reader_->has_head()) return;
    if (!wire_.empty()) drop_request();  // the stream of a watcher may last for days
    if (!body_ && !reader_->is_complete() && is_long()) begin_stream();
    if (body_) {
      body_->write(reader_->take_body());
      if (!body_->open()) return end(false);
    }
    if (reader_->is_complete()) return complete();
    if (body_ && body_->queued() > net::Stream::kHighWatermark) pause();
  }

  bool is_long() const {
    const std::optional<std::uint64_t> length = reader_->length();
    return !length || *length > kMaxWholeAnswer;
  }

  void begin_stream() {
    body_ = responder_->start(std::move(reader_->head()));
    body_->on_disconnect(core::unless_gone(weak_from_this(), &Exchange::leave));
  }

  void pause() {
    if (timer_ != 0) return;
    stream_->pause_reading(true);
    look_later();
  }

  void look_later() {
    timer_ = owner_.scheduler_.after(kLookPause, [this] {
      timer_ = 0;
      if (body_->queued() > net::Stream::kLowWatermark) return look_later();
      stream_->pause_reading(false);
    });
  }

  void complete() {
    if (body_) {
      body_->end();
    } else {
      net::Response response = std::move(reader_->head());
      response.body = reader_->take_body();
      std::exchange(responder_, std::nullopt)->send(std::move(response));
    }
    end(reader_->keeps_alive() && !has_client_ended_);
  }

  void fail(net::Response response) {
    owner_.counters_->failed.fetch_add(1, std::memory_order_relaxed);
    // A body that is dropped without its end cuts the client's connection.
    if (!body_) std::exchange(responder_, std::nullopt)->send(std::move(response));
    end(false);
  }

  // The client sends nothing more, or has gone: the home decides.
  void client_ended() {
    has_client_ended_ = true;
    if (stream_ != nullptr) stream_->finish();
  }
  // The client has gone while it read.
  void leave() { end(false); }

  void end(bool keeps) {
    const auto self = shared_from_this();
    if (owner_.exchanges_.erase(self) == 0) return;
    owner_.scheduler_.cancel(std::exchange(timer_, 0));
    body_.reset();
    responder_.reset();
    std::unique_ptr<net::Stream> stream = std::move(stream_);
    if (stream == nullptr) return;
    if (!keeps) return owner_.release(std::move(stream));
    stream->pause_reading(false);
    owner_.keep(to_.number, key_of(to_, client_), std::move(stream));
  }

  RequestForwarder& owner_;
  LinkTarget to_;
  const LinkedClient client_;
  const bool is_repeatable_;
  std::string wire_;
  std::optional<net::Responder> responder_;  // until it is answered
  Unreached unreached_;                      // with `request_`, until it is sent for the only time
  net::Request request_;
  std::unique_ptr<net::Stream> stream_;
  std::optional<ResponseReader> reader_;
  std::shared_ptr<net::BodyWriter> body_;  // of an answer that is streamed
  core::TimerId timer_ = 0;
  bool is_reused_ = false;
  bool has_client_ended_ = false;
  bool has_followed_ = false;  // a successor
};

RequestForwarder::RequestForwarder(core::Scheduler& scheduler, LinkClient& links, Find find,
                                   std::shared_ptr<ForwardCounters> counters, Limits limits)
    : scheduler_(scheduler),
      links_(links),
      find_(std::move(find)),
      counters_(std::move(counters)),
      limits_(limits) {}

RequestForwarder::RequestForwarder(core::Scheduler& scheduler, LinkClient& links, Find find,
                                   std::shared_ptr<ForwardCounters> counters)
    : RequestForwarder(scheduler, links, std::move(find), std::move(counters), Limits{}) {}

RequestForwarder::~RequestForwarder() = default;

void RequestForwarder::forward(const LinkTarget& to, int hops, net::Request request,
                               net::Responder responder, Unreached unreached) {
  PARLEY_ASSERT(scheduler_.in_thread(),
                "request " + request.id + " is forwarded by the thread of another one");
  counters_->requests.fetch_add(1, std::memory_order_relaxed);
  auto exchange = std::make_shared<Exchange>(*this, to, hops, std::move(request),
                                             std::move(responder), std::move(unreached));
  exchanges_.insert(exchange);
  exchange->start();
}

std::unique_ptr<net::Stream> RequestForwarder::take_idle(const std::string& key) {
  // The newest one: it is the least likely to end now.
  const auto found = std::find_if(idle_.rbegin(), idle_.rend(),
                                  [&key](const auto& link) { return link->key() == key; });
  if (found == idle_.rend()) return nullptr;
  std::unique_ptr<net::Stream> stream = (*found)->take();
  idle_.erase(std::next(found).base());
  return stream;
}

void RequestForwarder::keep(NodeNumber node, std::string key, std::unique_ptr<net::Stream> stream) {
  if (idle_.size() >= limits_.idle_links) idle_.pop_front();
  idle_.push_back(std::make_unique<IdleLink>(*this, node, std::move(key), std::move(stream)));
}

void RequestForwarder::keep_only(const NodeNumbers& nodes) {
  idle_.remove_if([&nodes](const auto& link) { return !has_node(nodes, link->node()); });
  std::vector<std::shared_ptr<Exchange>> ended;
  for (const auto& each : exchanges_) {
    if (!has_node(nodes, each->node())) ended.push_back(each);
  }
  for (const auto& each : ended) each->node_lost();
}

void RequestForwarder::drop(const IdleLink& link) {
  const auto found = std::find_if(idle_.begin(), idle_.end(),
                                  [&link](const auto& each) { return each.get() == &link; });
  PARLEY_ASSERT(found != idle_.end(), "link: an idle connection is dropped twice");
  release((*found)->take());
  idle_.erase(found);
}

// Ends a stream that may be calling its handler now.
void RequestForwarder::release(std::unique_ptr<net::Stream> stream) {
  stream->set_handler(nullptr);
  scheduler_.post([gone = std::move(stream)] {});
}

}  // namespace parley::link
