// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/loom/routes.h"

#include <memory>
#include <string>
#include <utility>

#include "dialects/loom/loom_connection.h"
#include "identity/access/authority.h"
#include "identity/access/entrance.h"

namespace parley::loom {
namespace {

constexpr const char* kPath = "/loom/ws";

tl::expected<net::AcceptedWebSocket, net::Response> accept(LoomContext& context,
                                                           const net::Request& request) {
  std::string token = request.token();
  const auto identity =
      access::let_in(context.verifier(), access::row_of("WS", kPath), token, request.peer);
  if (!identity) return tl::unexpected(access::refuse(identity.error()));
  return net::AcceptedWebSocket(
      std::make_unique<LoomConnection>(
          context, LoomCaller{identity->workspace, identity->name, std::move(token),
                              identity->rights, access::authority_of(*identity)}),
      identity->workspace);
}

}  // namespace

void install(net::Router& router, LoomContext& context) {
  net::WebSocketOptions options;
  options.max_message_bytes = context.options().max_message_bytes;
  options.compression = context.options().compression;
  router.add_websocket(
      kPath, options, [&context](const net::Request& request) { return accept(context, request); });
}

}  // namespace parley::loom
