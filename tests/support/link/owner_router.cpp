// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/link/owner_router.h"

#include <utility>

#include "base/core/assert.h"
#include "base/net/websocket/websocket.h"
#include "tests/support/link/forwarded_request.h"
#include "tests/support/link/link_preface.h"

namespace parley::link {

// The forwarders of one thread.
struct OwnerRouter::Lane {
  Lane(const LinkNode& node, core::Scheduler& scheduler)
      : links(scheduler, node.network, node.tls, node.self),
        requests(scheduler, links, node.find, node.requests),
        handshakes(scheduler, links, node.find, node.handshakes) {}

  LinkClient links;
  RequestForwarder requests;
  HandshakeForwarder handshakes;
};

OwnerRouter::OwnerRouter(LinkNode node, const std::vector<core::Scheduler*>& schedulers)
    : node_(std::move(node)) {
  for (core::Scheduler* const each : schedulers) {
    lanes_.emplace(each, std::make_unique<Lane>(node_, *each));
  }
}

OwnerRouter::~OwnerRouter() = default;

OwnerRouter::Lane& OwnerRouter::lane_of(const core::Scheduler& scheduler) const {
  const auto found = lanes_.find(&scheduler);
  PARLEY_ASSERT(found != lanes_.end(), "owner router: a request comes from an unknown thread");
  return *found->second;
}

void OwnerRouter::wrap(net::Router& router) {
  const auto by_request = [this](net::HttpHandler here) -> net::HttpHandler {
    return [this, here = std::move(here)](net::Request request, net::Responder responder) {
      const std::optional<LinkTarget> home =
          request.owner.empty() ? std::nullopt : node_.home_of(request.owner);
      if (!home) return here(std::move(request), std::move(responder));
      if (request.hops >= kMaxHops) return responder.send(home_moving());
      const int hops = request.hops + 1;
      RequestForwarder& requests = lane_of(responder.scheduler()).requests;
      requests.forward(*home, hops, std::move(request), std::move(responder));
    };
  };
  const auto by_handshake = [this](net::WebSocketAcceptor here) -> net::WebSocketAcceptor {
    return [this, here = std::move(here)](
               const net::Request& request) -> tl::expected<net::AcceptedWebSocket, net::Response> {
      const std::string owner = node_.owner_of(request);
      const std::optional<LinkTarget> home = owner.empty() ? std::nullopt : node_.home_of(owner);
      if (!home) return here(request);
      if (request.hops >= kMaxHops) return tl::unexpected(home_moving());
      net::AcceptedWebSocket passed_on;
      passed_on.take_over = [this, to = *home, request](std::unique_ptr<net::Stream> stream,
                                                        std::string_view unread) {
        HandshakeForwarder& handshakes = lane_of(stream->scheduler()).handshakes;
        handshakes.forward(to, request.hops + 1, request, std::move(stream), unread);
      };
      return passed_on;
    };
  };
  router.wrap(by_request, by_handshake);
}

}  // namespace parley::link
