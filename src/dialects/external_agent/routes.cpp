// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/external_agent/routes.h"

#include <memory>
#include <string>
#include <utility>

#include "dialects/external_agent/relay_connection.h"
#include "identity/access/entrance.h"

namespace parley::external_agent {
namespace {

constexpr const char* kPath = "/agent/ws";

tl::expected<net::AcceptedWebSocket, net::Response> accept(RelayContext& context,
                                                           const net::Request& request) {
  std::string token = request.token();
  const auto identity = access::let_in(context.verifier(), access::row_of("WS", kPath), request);
  if (!identity) return tl::unexpected(access::refuse(identity.error()));
  const bool guest = token.empty();
  RelayCaller caller;
  caller.owner = identity->workspace;
  caller.token = std::move(token);
  caller.full_history = request.query_param("full") == "1";
  // What guests hold counts to their address, not to the workspace that they share.
  return net::AcceptedWebSocket(std::make_unique<RelayConnection>(context, std::move(caller)),
                                guest ? std::string() : identity->workspace);
}

}  // namespace

void install(net::Router& router, RelayContext& context) {
  net::WebSocketOptions options;
  options.max_message_bytes = context.options().max_message_bytes;
  options.compression = context.options().compression;
  router.add_websocket(
      kPath, options, [&context](const net::Request& request) { return accept(context, request); });
  router.add("GET", kPath, [](const net::Request& /*request*/, net::Responder responder) {
    responder.send(net::Response::text(404, ""));
  });
}

}  // namespace parley::external_agent
