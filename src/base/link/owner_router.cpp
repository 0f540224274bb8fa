// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/owner_router.h"

#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/link/forwarded_request.h"
#include "base/link/link_preface.h"
#include "base/net/websocket/websocket.h"
#include "base/net/websocket/websocket_codec.h"

namespace parley::link {
namespace {

constexpr const char* kMoves =
    "The sessions of this workspace move to another node. Try again in a moment.";
// Time between two looks at the home of an owner that moves, and at one that was not reached.
constexpr core::Millis kHomeLook{50};
constexpr core::Millis kUnreachedLook{200};

}  // namespace

// The forwarders of one thread.
struct OwnerRouter::Lane {
  Lane(const LinkNode& node, core::Scheduler& of)
      : scheduler(of),
        links(of, node.network, node.tls, node.self),
        requests(of, links, node.find, node.requests),
        handshakes(of, links, node.find, node.handshakes, node.max_sockets) {}

  core::Scheduler& scheduler;
  LinkClient links;
  RequestForwarder requests;
  HandshakeForwarder handshakes;
  std::size_t waiting = 0;  // requests of owners that move
};

OwnerRouter::OwnerRouter(LinkNode node, const std::vector<core::Scheduler*>& schedulers)
    : node_(std::move(node)) {
  for (core::Scheduler* const each : schedulers) {
    lanes_.emplace(each, std::make_shared<Lane>(node_, *each));
  }
}

OwnerRouter::~OwnerRouter() = default;

OwnerRouter::Lane& OwnerRouter::lane_of(const core::Scheduler& scheduler) const {
  const auto found = lanes_.find(&scheduler);
  PARLEY_ASSERT(found != lanes_.end(), "owner router: a request comes from an unknown thread");
  return *found->second;
}

OwnerHome OwnerRouter::home_of(std::string_view owner) const {
  return owner.empty() ? OwnerHome{} : node_.home_of(owner);
}

void OwnerRouter::wrap(net::Router& router) {
  const auto by_request = [this](const net::Router::RouteName& route,
                                 net::HttpHandler here) -> net::HttpHandler {
    std::string of_route;
    if (node_.owner_of_route) of_route = node_.owner_of_route(route.method, route.pattern);
    if (node_.announces && node_.announces(route.method, route.pattern)) {
      here = announcing(std::move(here));
    }
    if (of_route.empty() && !route.admits) return here;
    return [this, of_route = std::move(of_route),
            here = std::make_shared<const net::HttpHandler>(std::move(here))](
               net::Request request, net::Responder responder) {
      Way way{of_route.empty() ? request.owner : of_route, here,
              responder.scheduler().clock().mono() + kHomeWait};
      serve(std::move(way), std::move(request), std::move(responder));
    };
  };
  const auto by_handshake = [this](net::WebSocketAcceptor here) -> net::WebSocketAcceptor {
    return [this, here = std::move(here)](
               const net::Request& request) -> tl::expected<net::AcceptedWebSocket, net::Response> {
      const OwnerHome home = home_of(node_.owner_of(request));
      if (home.is_moving) return tl::unexpected(home_unreached(kMoves));
      if (!home.elsewhere) return here(request);
      if (request.hops >= kMaxHops) return tl::unexpected(home_unreached(kMoves));
      net::AcceptedWebSocket passed_on;
      passed_on.take_over = [this, to = *home.elsewhere, request](
                                std::unique_ptr<net::Stream> stream, std::string_view unread) {
        HandshakeForwarder& handshakes = lane_of(stream->scheduler()).handshakes;
        handshakes.forward(to, request.hops + 1, request, std::move(stream), unread);
      };
      return passed_on;
    };
  };
  router.wrap(by_request, by_handshake);
}

net::HttpHandler OwnerRouter::announcing(net::HttpHandler here) {
  return [this, here = std::move(here)](net::Request request, net::Responder responder) {
    const std::shared_ptr<Lane>& lane = lanes_.at(&lane_of(responder.scheduler()).scheduler);
    here(std::move(request), announced(std::move(responder), node_.others,
                                       std::shared_ptr<RequestForwarder>(lane, &lane->requests)));
  };
}

void OwnerRouter::keep_only(const NodeNumbers& nodes) {
  for (const auto& [scheduler, lane] : lanes_) {
    lane->scheduler.post(core::unless_gone(std::weak_ptr<Lane>(lane), [nodes](Lane& live) {
      live.requests.keep_only(nodes);
      live.handshakes.keep_only(nodes);
    }));
  }
}

void OwnerRouter::serve(Way way, net::Request request, net::Responder responder) {
  const OwnerHome home = home_of(way.owner);
  if (home.is_moving) {
    return wait(std::move(way), kHomeLook, std::move(request), std::move(responder),
                home_unreached(kMoves));
  }
  if (!home.elsewhere) return (*way.here)(std::move(request), std::move(responder));
  RequestForwarder::Unreached unreached;
  if (request.body.size() <= kMaxHeldBody) {
    unreached = [this, way = std::move(way)](net::Request back, net::Responder to,
                                             net::Response refusal) mutable {
      wait(std::move(way), kUnreachedLook, std::move(back), std::move(to), std::move(refusal));
    };
  }
  forward(*home.elsewhere, std::move(request), std::move(responder), std::move(unreached));
}

void OwnerRouter::wait(Way way, core::Millis pause, net::Request request, net::Responder responder,
                       net::Response refusal) {
  Lane& lane = lane_of(responder.scheduler());
  const bool may_wait = lane.waiting < kMaxHomeWaits && request.body.size() <= kMaxHeldBody;
  if (!may_wait || lane.scheduler.clock().mono() >= way.until) {
    node_.requests->failed.fetch_add(1, std::memory_order_relaxed);
    return responder.send(std::move(refusal));
  }
  ++lane.waiting;
  node_.requests->waiting.fetch_add(1, std::memory_order_relaxed);
  lane.scheduler.after(
      pause, [this, weak = std::weak_ptr<Lane>(lanes_.at(&lane.scheduler)), way = std::move(way),
              request = std::move(request), responder = std::move(responder)]() mutable {
        const std::shared_ptr<Lane> live = weak.lock();
        if (!live) return;
        --live->waiting;
        node_.requests->waiting.fetch_sub(1, std::memory_order_relaxed);
        serve(std::move(way), std::move(request), std::move(responder));
      });
}

void OwnerRouter::forward(const LinkTarget& to, net::Request request, net::Responder responder,
                          RequestForwarder::Unreached unreached) {
  if (request.hops >= kMaxHops) return responder.send(home_unreached(kMoves));
  const int hops = request.hops + 1;
  RequestForwarder& requests = lane_of(responder.scheduler()).requests;
  requests.forward(to, hops, std::move(request), std::move(responder), std::move(unreached));
}

bool OwnerRouter::pass_on(std::string_view owner, net::Request& request,
                          net::Responder& responder) {
  const OwnerHome home = home_of(owner);
  if (!home.elsewhere) return false;
  forward(*home.elsewhere, std::move(request), std::move(responder));
  return true;
}

bool OwnerRouter::pass_on(std::string_view owner, const net::Request& handshake,
                          const std::vector<std::string>& messages, net::WebSocket& socket) {
  const OwnerHome home = home_of(owner);
  if (home.is_moving) {
    socket.close(net::close_code::kTryAgainLater, kMoves);
    return true;
  }
  if (!home.elsewhere) return false;
  if (handshake.hops >= kMaxHops) {
    socket.close(net::close_code::kTryAgainLater, kMoves);
    return true;
  }
  std::string frames;
  for (const std::string& message : messages) {
    // The key need not hide anything from proxies: there is none on a link.
    net::append_frame(frames, {.opcode = net::Opcode::binary, .mask = net::MaskKey{}}, message);
  }
  socket.give_away(
      [this, to = *home.elsewhere, handshake, compresses = socket.compresses(),
       frames = std::move(frames)](std::unique_ptr<net::Stream> stream, std::string_view unread) {
        HandshakeForwarder& handshakes = lane_of(stream->scheduler()).handshakes;
        handshakes.forward_answered(to, handshake.hops + 1, handshake, compresses, frames,
                                    std::move(stream), unread);
      });
  return true;
}

}  // namespace parley::link
