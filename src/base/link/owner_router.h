// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/core/scheduler.h"
#include "base/link/announced_answer.h"
#include "base/link/handshake_forwarder.h"
#include "base/link/link_client.h"
#include "base/link/request_forwarder.h"
#include "base/net/http/http.h"
#include "base/net/loop/stream.h"
#include "base/net/server/home_passage.h"

namespace parley::link {

// Limit (Cluster): wait of a request for the next home of its owner, while the owner moves or its
// home is not reached. Reached: 503 with `Retry-After`.
inline constexpr core::Millis kHomeWait{10'000};
// Limit (Cluster): such requests of a thread. Reached: 503 with `Retry-After`.
inline constexpr std::size_t kMaxHomeWaits = 1'024;
// Limit (Cluster, bytes): body of such a request. Reached: 503 with `Retry-After` at once.
inline constexpr std::size_t kMaxHeldBody = 64U << 10U;

// The home of an owner, as a node knows it.
struct OwnerHome {
  std::optional<LinkTarget> elsewhere = {};  // std::nullopt: this node, or none
  bool is_moving = false;                    // no node serves the owner at the moment
};

// The ways of all threads of a node to reach others. Any thread.
struct LinkNode {
  net::Network& network;  // outlives the router
  std::shared_ptr<const LinkTls> tls;
  LinkClient::Sender self;
  // Must not block.
  std::function<OwnerHome(std::string_view owner)> home_of;
  // The node of this number; std::nullopt: unknown. Must not block.
  std::function<std::optional<LinkTarget>(NodeNumber node)> find;
  // The owner whose home serves a route, whoever sends the request; empty: that of the sender.
  // Null: so for all routes.
  std::function<std::string(std::string_view method, std::string_view pattern)> owner_of_route = {};
  // True for a route whose answer waits until the others have read what it changed. Null: for none.
  std::function<bool(std::string_view method, std::string_view pattern)> announces = {};
  Others others = {};
  // The owner for whom a handshake speaks; empty: unknown. Must not block.
  std::function<std::string(const net::Request& handshake)> owner_of;
  // WebSockets that other nodes serve; more get 503.
  std::size_t max_sockets = 20'000;
  std::shared_ptr<ForwardCounters> requests = std::make_shared<ForwardCounters>();
  std::shared_ptr<HandshakeCounters> handshakes = std::make_shared<HandshakeCounters>();
};

// Serves the requests of a server at the homes of their owners: a request with an owner whose home
// is another node is passed to that node, every other one has its handler. A request of an owner
// that moves, or whose home is not reached, waits for the next home.
class OwnerRouter final : public net::HomePassage {
 public:
  // `schedulers`: those of the server's threads. Call before their loops run.
  OwnerRouter(LinkNode node, const std::vector<core::Scheduler*>& schedulers);
  // Cuts what is passed on. Call when no loop runs, before the server is destroyed.
  ~OwnerRouter() override;

  // Wraps the handlers of `router`, which are called only while this object lives.
  void wrap(net::Router& router);

  // Ends what goes to any other node than the live ones. `nodes`: as a renewal of the lease has
  // shown them. Any thread.
  void keep_only(const NodeNumbers& nodes);

  bool pass_on(std::string_view owner, net::Request& request, net::Responder& responder) override;
  bool pass_on(std::string_view owner, const net::Request& handshake,
               const std::vector<std::string>& messages, net::WebSocket& socket) override;

 private:
  struct Lane;

  net::HttpHandler announcing(net::HttpHandler here);
  Lane& lane_of(const core::Scheduler& scheduler) const;
  OwnerHome home_of(std::string_view owner) const;
  // A request on its way to the home of its owner.
  struct Way {
    std::string owner;
    std::shared_ptr<const net::HttpHandler> here;
    core::MonoTime until;  // the end of its wait
  };
  void serve(Way way, net::Request request, net::Responder responder);
  // Serves it after a pause; sends `refusal` if it may not wait any more.
  void wait(Way way, core::Millis pause, net::Request request, net::Responder responder,
            net::Response refusal);
  void forward(const LinkTarget& to, net::Request request, net::Responder responder,
               RequestForwarder::Unreached unreached = nullptr);

  const LinkNode node_;
  std::unordered_map<const core::Scheduler*, std::shared_ptr<Lane>> lanes_;
};

}  // namespace parley::link
