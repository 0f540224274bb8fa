// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/entropy.h"
#include "base/link/link_listener.h"
#include "base/link/owner_router.h"
#include "base/net/http/metrics.h"
#include "base/net/server/server.h"
#include "base/net/websocket/websocket.h"
#include "base/net/websocket/websocket_codec.h"
#include "tests/support/link/link_world.h"

// Nodes with a server each, of which either passes on what belongs to the other.
namespace parley::link {

inline constexpr std::string_view kHandshakeFields =
    "Upgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";

// Logs in by its first message, which is the name of the owner; echoes the others.
class LoginOfHome final : public net::WebSocketHandler {
 public:
  LoginOfHome(net::HomePassage& homes, std::string node, net::Request handshake)
      : homes_(homes), node_(std::move(node)), handshake_(std::move(handshake)) {}
  void on_open(net::WebSocket& /*socket*/) override {}
  void on_message(net::WebSocket& socket, net::MessageType /*type*/,
                  std::string_view data) override {
    if (is_in_) return socket.send_text(data);
    if (homes_.pass_on(data, handshake_, {std::string(data)}, socket)) return;
    is_in_ = true;
    socket.send_text(node_ + " after " + std::to_string(handshake_.hops));
  }
  void on_close(net::WebSocket& /*socket*/, std::uint16_t /*code*/,
                std::string_view /*reason*/) override {}

 private:
  net::HomePassage& homes_;
  const std::string node_;
  const net::Request handshake_;
  bool is_in_ = false;
};

// A client's frame.
inline std::string frame_of(std::string_view text, net::Opcode opcode = net::Opcode::binary) {
  std::string out;
  net::append_frame(out, {.opcode = opcode, .mask = net::MaskKey{'a', 'b', 'c', 'd'}}, text);
  return out;
}

// The name of an owner is its token.
inline tl::expected<net::Admission, net::Response> admit_owner(const net::Request& head) {
  if (head.token() == "bad") return tl::unexpected(net::Response::text(401, "bad"));
  return net::Admission{head.token(), 0, head.token()};
}

struct RoutedCluster;

struct RoutedNode {
  RoutedNode(RoutedCluster& of, std::string named, NodeNumber numbered, bool compresses = true);

  RoutedCluster& cluster;
  std::string name;
  NodeNumber number;
  std::map<std::string, LinkTarget, std::less<>> homes;  // of owners, as this node sees it
  std::set<std::string, std::less<>> moving;             // owners that no node serves
  NodeNumber successor = kNoNode;
  net::Metrics metrics;
  std::unique_ptr<OwnerRouter> router;
  std::unique_ptr<net::Server> server;
  std::unique_ptr<LinkListener> listener;
  std::shared_ptr<ForwardCounters> requests = std::make_shared<ForwardCounters>();
  std::shared_ptr<HandshakeCounters> handshakes = std::make_shared<HandshakeCounters>();
  net::Endpoint at;
  net::Endpoint link_at;

  LinkTarget target() const { return {link_at, name, number}; }
  std::vector<net::Responder> waiting;

  net::Router routes();
  void start(bool compresses);
};

struct RoutedCluster {
  LinkWorld world{{.max_piece = 3'000, .seed = 12, .peer = "192.0.2.7"}};
  core::SeededEntropy entropy{1};
  std::map<NodeNumber, LinkTarget> known;
};

inline RoutedNode::RoutedNode(RoutedCluster& of, std::string named, NodeNumber numbered,
                              bool compresses)
    : cluster(of), name(std::move(named)), number(numbered) {
  start(compresses);
}

inline net::Router RoutedNode::routes() {
  net::Router out;
  const auto tell = [this](const net::Request& request, net::Responder responder) {
    responder.send(net::Response::text(
        200, name + " serves " + request.owner + " of " + request.peer + " after " +
                 std::to_string(request.hops) + ": " + request.body));
  };
  out.add("POST", "/do", tell, admit_owner);
  out.add(
      "POST", "/wait",
      [this](const net::Request&, net::Responder responder) {
        waiting.push_back(std::move(responder));
      },
      admit_owner);
  out.add("GET", "/open", tell);
  out.add("POST", "/make", [](const net::Request& request, net::Responder responder) {
    responder.send(net::Response::text(request.body == "bad" ? 400 : 201, request.body));
  });
  out.add("POST", std::string(kChangesPath),
          [this](const net::Request& request, net::Responder responder) {
            EXPECT_EQ(request.hops, 1);
            waiting.push_back(std::move(responder));
          });
  out.add_websocket(
      "/ws", {},
      [](const net::Request& request) -> tl::expected<net::AcceptedWebSocket, net::Response> {
        if (request.query_param("refused")) {
          return tl::unexpected(net::Response::text(401, "no entry"));
        }
        return std::make_unique<LinkEcho>();
      });
  return out;
}

inline void RoutedNode::start(bool compresses) {
  LinkWorld& world = cluster.world;
  LinkNode node{
      .network = world.memory,
      .tls = world.tls_of(name),
      .self =
          [this] {
            return LinkSender{std::string(kTestCluster), name, number};
          },
      .home_of = [this](std::string_view owner) -> OwnerHome {
        const auto found = homes.find(owner);
        if (found == homes.end()) return {std::nullopt, moving.contains(owner)};
        return {found->second};
      },
      .find = [this](NodeNumber wanted) -> std::optional<LinkTarget> {
        const auto found = cluster.known.find(wanted);
        return found == cluster.known.end() ? std::nullopt : std::optional(found->second);
      },
      .announces = [](std::string_view, std::string_view pattern) { return pattern == "/make"; },
      .others =
          [this] {
            std::vector<LinkTarget> out;
            for (const auto& [other, target] : cluster.known) {
              if (other != number) out.push_back(target);
            }
            return out;
          },
      .owner_of = [](const net::Request& handshake) { return handshake.token(); },
      .requests = requests,
      .handshakes = handshakes,
  };
  router = std::make_unique<OwnerRouter>(
      std::move(node), std::vector{static_cast<core::Scheduler*>(&world.scheduler)});
  net::Router all = routes();
  router->wrap(all);
  all.add_websocket(
      "/login", {.compression = compresses},
      [this](const net::Request& request) -> tl::expected<net::AcceptedWebSocket, net::Response> {
        return std::make_unique<LoginOfHome>(*router, name, request);
      });
  net::ServerOptions options;
  options.log_requests = false;
  options.allowed_origins = {"https://" + name + ".example.org"};
  server = std::make_unique<net::Server>(world.memory, std::move(all), options, metrics,
                                         cluster.entropy);
  at = server->listen({&world.scheduler}, {}).value();
  listener = std::make_unique<LinkListener>(
      world.scheduler, world.tls_of(name),
      [this](const Preface&) {
        return LinkHome{std::string(kTestCluster), number, successor, false};
      },
      [this](LinkConnection connection) {
        server->adopt(std::move(connection.stream), connection.preface.hops);
      },
      std::make_shared<LinkCounters>());
  link_at = listener->listen(world.memory, {}).value();
  cluster.known[number] = target();
}

}  // namespace parley::link
