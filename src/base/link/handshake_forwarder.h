// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/core/scheduler.h"
#include "base/link/link_client.h"
#include "base/net/http/http.h"
#include "base/net/loop/stream.h"

namespace parley::link {

// Limit (Cluster): WebSockets above `limits.connections` of clients whose homes are other nodes
// that are refused with a sentence at the same time. Reached: closed at once.
inline constexpr std::size_t kMaxRefusedSockets = 64;

// Counters of the handshake forwarders of a node. Any thread.
struct HandshakeCounters {
  std::atomic<std::size_t> open{0};  // connections that are passed on, on their way, or refused
  std::atomic<std::uint64_t> forwarded{0};
  std::atomic<std::uint64_t> failed{0};  // answered 503, or closed with 1013, by this node
};

// Passes the connections of WebSockets to the nodes that are the homes of their clients, from the
// handshake on, which the home answers. Belongs to the thread of its scheduler.
class HandshakeForwarder {
 public:
  // The node of this number; std::nullopt: unknown. Must not block.
  using Find = std::function<std::optional<LinkTarget>(NodeNumber node)>;

  // `links` outlives this object. `most`: WebSockets, together with the forwarders of the same
  // counters; more get 503 with `Retry-After`.
  HandshakeForwarder(core::Scheduler& scheduler, LinkClient& links, Find find,
                     std::shared_ptr<HandshakeCounters> counters, std::size_t most);
  // Cuts all connections.
  ~HandshakeForwarder();
  HandshakeForwarder(const HandshakeForwarder&) = delete;
  HandshakeForwarder& operator=(const HandshakeForwarder&) = delete;

  // Makes the connection of a client one to a node. `unread`: the bytes behind `handshake` that
  // were read. `hops`: see Preface. If the node has moved, its successor is asked, once. If it is
  // not reached, the client gets 503.
  void forward(LinkTarget to, int hops, const net::Request& handshake,
               std::unique_ptr<net::Stream> client, std::string_view unread);

  // The same for a WebSocket whose handshake this node has answered. The home reads `handshake` and
  // `frames` first; the head of its answer is dropped. `compresses`: the answer has agreed on
  // permessage-deflate, so that of the home must as well. If the node is not reached, the client
  // gets a close frame, 1013.
  void forward_answered(LinkTarget to, int hops, const net::Request& handshake, bool compresses,
                        std::string_view frames, std::unique_ptr<net::Stream> client,
                        std::string_view unread);

  // Cuts what goes to any other node than these: the others have lost their leases, and may never
  // send anything again.
  void keep_only(const NodeNumbers& nodes);

  std::size_t open() const { return passages_.size(); }

 private:
  class Passage;
  // The beginning of a connection.
  struct Begin {
    LinkTarget to;
    int hops = 1;
    std::string first;
    std::string request_id;
    bool is_answered = false;
    bool compresses = false;  // if it is answered
  };

  void begin(Begin with, std::unique_ptr<net::Stream> client);

  core::Scheduler& scheduler_;
  LinkClient& links_;
  const Find find_;
  const std::shared_ptr<HandshakeCounters> counters_;
  const std::size_t most_;
  std::unordered_map<Passage*, std::shared_ptr<Passage>> passages_;
};

}  // namespace parley::link
