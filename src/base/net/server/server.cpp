// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/server/server.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/core/assert.h"
#include "base/net/http/origin_policy.h"
#include "base/net/loop/assembly_budget.h"
#include "base/net/server/http_connection.h"
#include "base/net/server/http_tally.h"
#include "base/net/websocket/websocket_connection.h"

namespace parley::net {
namespace {

// Connections over the limit that get a 503 at the same time; further ones are dropped unanswered.
// Limit (HTTP): connections above `limits.connections` that are answered 503. Reached: closed at
// once.
constexpr std::size_t kMaxRefusals = 256;
constexpr core::Millis kDrainCheck{10};
// The budget of unknown senders divided by the budget of one of their addresses.
// Limit (HTTP): share of `limits.unfinished_bytes_unknown` that one address may hold: one part of.
// Reached: 503 with `Retry-After`.
constexpr std::size_t kUnknownAddresses = 4;

WebSocketLimits websocket_limits(const ServerOptions& options) {
  WebSocketLimits limits;
  limits.max_queue_bytes = options.max_queue_bytes;
  limits.max_queue_messages = options.max_queue_messages;
  limits.ping_interval = options.ping_interval;
  limits.pong_timeout = options.pong_timeout;
  limits.close_timeout = options.close_timeout;
  return limits;
}

std::shared_ptr<AssemblyBudget> make_budget(const ServerOptions& options, Metrics& metrics) {
  // One body of the largest size always fits.
  AssemblyBudget::Limits limits;
  limits.per_account = std::max(options.max_assembling_bytes_per_account, options.max_body_bytes);
  limits.unknown = options.max_assembling_bytes_unknown;
  limits.unknown_address =
      std::max(limits.unknown / kUnknownAddresses, options.max_open_body_bytes);
  limits.total = std::max(options.max_assembling_bytes, limits.per_account);
  auto budget = std::make_shared<AssemblyBudget>(limits);
  metrics.gauge("parley_assembling_bytes",
                "Bytes of incomplete requests and messages, of untaken answers and of TLS",
                [budget] { return static_cast<double>(budget->bytes()); });
  metrics.gauge("parley_connections_cut",
                "Connections cut since the start because assembling bytes had reached their limit",
                [budget] { return static_cast<double>(budget->ended()); });
  return budget;
}

// State of the whole server, used on all threads.
struct Common {
  Common(Router of, ServerOptions with, Metrics& metrics_, core::Entropy& entropy_)
      : router(std::move(of)),
        options(std::move(with)),
        metrics(metrics_),
        entropy(entropy_),
        gauges(HttpGauges::make(metrics_)),
        budget(make_budget(options, metrics_)),
        websockets(std::make_unique<WebSocketService>(
            websocket_limits(options), WebSocketCounters::of(metrics_), nullptr, budget)) {}

  std::size_t count() const {
    const std::int64_t http = gauges->connections.load();
    return static_cast<std::size_t>(std::max<std::int64_t>(http, 0)) +
           (websockets ? websockets->count() : 0);
  }

  Router router;
  ServerOptions options;
  Metrics& metrics;
  core::Entropy& entropy;
  const std::shared_ptr<const OriginPolicy> any_origin =
      std::make_shared<const OriginPolicy>(Endpoint{}, std::vector<std::string>{"*"});
  std::shared_ptr<HttpGauges> gauges;
  std::shared_ptr<AssemblyBudget> budget;
  std::atomic<bool> draining{false};
  std::unique_ptr<WebSocketService> websockets;
};

// The connections of one thread. Posted tasks share ownership, because they may run late.
class Shard : public std::enable_shared_from_this<Shard> {
 public:
  Shard(std::shared_ptr<Common> common, core::Scheduler& scheduler)
      : common_(std::move(common)),
        scheduler_(scheduler),
        tally_(common_->metrics),
        shared_{common_->router, common_->options,     common_->entropy, *common_->gauges,
                tally_,          *common_->websockets, *common_->budget, common_->draining} {}

  core::Scheduler& scheduler() { return scheduler_; }

  void accept(std::unique_ptr<Stream> stream, const std::shared_ptr<const OriginPolicy>& policy,
              int hops) {
    PARLEY_ASSERT(scheduler_.in_thread(),
                  "HTTP server: a connection of " + stream->peer() +
                      " is accepted by another thread than that of its shard");
    if (closed_ || common_->draining.load()) return;
    const std::size_t open = common_->count();
    const std::size_t most = common_->options.max_connections;
    if (open >= most + kMaxRefusals) return;
    auto connection = std::make_shared<HttpConnection>(
        std::move(stream), shared_, policy, hops, [this](HttpConnection& gone) {
          const std::size_t erased = connections_.erase(&gone);
          PARLEY_ASSERT(erased == 1, "HTTP server: a connection is gone twice; " +
                                         std::to_string(connections_.size()) + " are left");
        });
    connections_.emplace(connection.get(), connection);
    if (open >= most) {
      connection->refuse_all();
    } else {
      connection->start();
    }
  }

  template <typename Action>
  void each(Action action) {
    std::vector<std::shared_ptr<HttpConnection>> all;
    all.reserve(connections_.size());
    for (const auto& [key, connection] : connections_) all.push_back(connection);
    for (const auto& connection : all) action(*connection);
  }

  // Call when no thread runs its loop any more.
  void close() {
    closed_ = true;
    connections_.clear();
  }

 private:
  std::shared_ptr<Common> common_;
  core::Scheduler& scheduler_;
  HttpTally tally_;
  HttpShared shared_;
  std::unordered_map<HttpConnection*, std::shared_ptr<HttpConnection>> connections_;
  bool closed_ = false;
};

struct DrainState {
  std::shared_ptr<Common> common;
  std::vector<std::shared_ptr<Shard>> shards;
  core::Scheduler& scheduler;
  core::MonoTime until;
  core::Task done;
};

void check_drained(const std::shared_ptr<DrainState>& state) {
  const bool late = state->scheduler.clock().mono() >= state->until;
  if (state->common->count() == 0 || late) {
    for (const auto& shard : state->shards) {
      shard->scheduler().post([shard] { shard->each([](HttpConnection& one) { one.cut(); }); });
    }
    PARLEY_ASSERT(state->done != nullptr, "HTTP server: its drain ends twice");
    state->scheduler.post(std::move(state->done));
    return;
  }
  state->scheduler.after(kDrainCheck, [state] { check_drained(state); });
}

}  // namespace

struct Server::Impl {
  Impl(Network& of, Router router, ServerOptions options, Metrics& metrics, core::Entropy& entropy)
      : network(of),
        common(std::make_shared<Common>(std::move(router), std::move(options), metrics, entropy)) {}

  std::shared_ptr<Shard> shard_of(core::Scheduler& scheduler) {
    for (const auto& shard : shards) {
      if (&shard->scheduler() == &scheduler) return shard;
    }
    shards.push_back(std::make_shared<Shard>(common, scheduler));
    return shards.back();
  }

  Network& network;
  std::shared_ptr<Common> common;
  std::mutex mutex;  // guards the two members below
  std::vector<std::shared_ptr<Shard>> shards;
  std::vector<std::unique_ptr<Listener>> listeners;
};

Server::Server(Network& network, Router router, ServerOptions options, Metrics& metrics,
               core::Entropy& entropy)
    : impl_(std::make_unique<Impl>(network, std::move(router), std::move(options), metrics,
                                   entropy)) {}

Server::~Server() {
  impl_->listeners.clear();
  for (const auto& shard : impl_->shards) shard->close();
  impl_->common->websockets.reset();
}

core::Result<Endpoint> Server::listen(const std::vector<core::Scheduler*>& schedulers,
                                      const Endpoint& at, const Entry& entry) {
  if (schedulers.empty()) {
    return core::fail(core::Code::invalid_argument, "A server needs a thread to listen on.");
  }
  std::vector<std::string> allowed = impl_->common->options.allowed_origins;
  allowed.insert(allowed.end(), entry.allowed_origins.begin(), entry.allowed_origins.end());
  const auto policy = std::make_shared<const OriginPolicy>(at, allowed);
  Network& network = entry.network != nullptr ? *entry.network : impl_->network;
  Endpoint real = at;
  const std::scoped_lock lock(impl_->mutex);
  if (impl_->common->draining) {
    return core::fail(core::Code::unavailable, "The server is shutting down.");
  }
  std::vector<std::unique_ptr<Listener>> created;
  for (core::Scheduler* const scheduler : schedulers) {
    const std::shared_ptr<Shard> shard = impl_->shard_of(*scheduler);
    auto listener =
        network.listen(*scheduler, real, [shard, policy](std::unique_ptr<Stream> stream) {
          shard->accept(std::move(stream), policy, 0);
        });
    if (!listener) return core::fail(std::move(listener.error()));
    real = (*listener)->endpoint();
    created.push_back(std::move(*listener));
  }
  for (auto& listener : created) impl_->listeners.push_back(std::move(listener));
  return real;
}

void Server::adopt(std::unique_ptr<Stream> stream, int hops) {
  std::shared_ptr<Shard> shard;
  {
    const std::scoped_lock lock(impl_->mutex);
    shard = impl_->shard_of(stream->scheduler());
  }
  shard->accept(std::move(stream), impl_->common->any_origin, hops);
}

void Server::drain(core::Scheduler& scheduler, core::Millis patience, core::Task done) {
  auto state = std::make_shared<DrainState>(DrainState{
      impl_->common, {}, scheduler, scheduler.clock().mono() + patience, std::move(done)});
  impl_->common->draining.store(true);
  {
    const std::scoped_lock lock(impl_->mutex);
    impl_->listeners.clear();
    state->shards = impl_->shards;
  }
  for (const auto& shard : state->shards) {
    shard->scheduler().post([shard] { shard->each([](HttpConnection& one) { one.drain(); }); });
  }
  impl_->common->websockets->close_all(close_code::kGoingAway, "The server is shutting down.");
  scheduler.post([state] { check_drained(state); });
}

std::size_t Server::connection_count() const { return impl_->common->count(); }

}  // namespace parley::net
