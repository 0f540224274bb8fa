// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/link/cluster_certificate.h"
#include "base/link/link_preface.h"
#include "base/link/link_tls.h"
#include "base/net/loop/stream.h"
#include "base/net/websocket/websocket.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/net/memory_network.h"

namespace parley::link {

inline constexpr std::string_view kTestCluster = "c-1";

// A handler that records its calls.
struct LinkPeer : net::StreamHandler {
  void on_data(net::Stream& stream, char* data, std::size_t size) override {
    bytes.append(data, size);
    if (received) received(stream);
  }
  void on_end(net::Stream& /*stream*/) override { ended = true; }
  void on_drained(net::Stream& /*stream*/) override { ++drained; }
  void on_closed(net::Stream& /*stream*/) override { closed = true; }

  std::string bytes;
  std::function<void(net::Stream&)> received;
  bool ended = false;
  int drained = 0;
  bool closed = false;
};

// A masked text frame "Hello" (RFC 6455 section 5.7), and the echo of it.
inline constexpr std::string_view kHelloFrame = "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";
inline constexpr std::string_view kHelloEcho = "\x81\x05Hello";

// A WebSocket of a home.
class LinkEcho final : public net::WebSocketHandler {
 public:
  void on_open(net::WebSocket& /*socket*/) override {}
  void on_message(net::WebSocket& socket, net::MessageType /*type*/,
                  std::string_view data) override {
    socket.send_text(data);
  }
  void on_close(net::WebSocket& /*socket*/, std::uint16_t /*code*/,
                std::string_view /*reason*/) override {}
};

// A thread, a network in memory and the authority of a cluster.
struct LinkWorld {
  explicit LinkWorld(net::MemoryNetworkOptions options = {}) : memory(std::move(options)) {}

  std::unique_ptr<LinkTls> tls_of(std::string_view node) {
    const NodeCertificate certificate =
        make_node_certificate(authority, kTestCluster, node, clock.wall()).value();
    return std::make_unique<LinkTls>(authority, certificate, clock);
  }
  // The preface of node "a", number 3, for node 7.
  static Preface preface() {
    Preface out;
    out.cluster = kTestCluster;
    out.from_name = "a";
    out.from_number = 3;
    out.to_number = 7;
    out.client = "192.0.2.7";
    out.secure = true;
    return out;
  }

  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  net::MemoryNetwork memory;
  ClusterAuthority authority = ClusterAuthority::make(kTestCluster, clock.wall()).value();
};

}  // namespace parley::link
