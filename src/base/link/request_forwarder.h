// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"
#include "base/core/scheduler.h"
#include "base/link/link_client.h"
#include "base/net/http/http.h"
#include "base/net/loop/stream.h"

namespace parley::link {

// Shorter than the keep-alive of a server (timeouts.idle), which so rarely ends a connection to
// which a request is just being written.
// Limit (Cluster): connections to other nodes that wait for a further request of their client.
// Reached: closed.
inline constexpr core::Millis kIdleLinkTime{30'000};
// Limit (Cluster): such connections of a thread. Reached: the oldest one is closed.
inline constexpr std::size_t kMaxIdleLinks = 512;
// An answer that announces more than this, or no length, is passed on while it arrives.
// Limit (Cluster, bytes): an answer of another node that is sent whole. Reached: it is streamed.
inline constexpr std::size_t kMaxWholeAnswer = 256U << 10U;

// Counters of the forwarders of a node. Any thread.
struct ForwardCounters {
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> reused{0};  // on a connection of an earlier request
  std::atomic<std::uint64_t> failed{0};  // answered 502 or 503 by this node
  std::atomic<std::size_t> waiting{0};   // for the next home of their owner
};

// Passes requests to the nodes that are the homes of their clients, and the answers back. A
// connection to a node is kept for further requests of the same client address. Belongs to the
// thread of its scheduler.
//
// An answer of more than kMaxWholeAnswer bytes, and an endless one, is streamed: while the client
// does not take it, nothing more is read from the home. The end of a client is passed on: its
// request is abandoned by the home, as it would be there, or still answered.
class RequestForwarder {
 public:
  // The node of this number; std::nullopt: unknown. Must not block.
  using Find = std::function<std::optional<LinkTarget>(NodeNumber node)>;

  struct Limits {
    core::Millis idle = kIdleLinkTime;
    std::size_t idle_links = kMaxIdleLinks;
  };

  // Takes back a request that has not reached its node, with the answer that it would get.
  using Unreached = absl::AnyInvocable<void(net::Request request, net::Responder responder,
                                            net::Response answer)>;

  // `links` outlives this object.
  RequestForwarder(core::Scheduler& scheduler, LinkClient& links, Find find,
                   std::shared_ptr<ForwardCounters> counters, Limits limits);
  RequestForwarder(core::Scheduler& scheduler, LinkClient& links, Find find,
                   std::shared_ptr<ForwardCounters> counters);
  // Cuts all connections; answers that are streamed are cut, others are 500.
  ~RequestForwarder();
  RequestForwarder(const RequestForwarder&) = delete;
  RequestForwarder& operator=(const RequestForwarder&) = delete;

  // Answers `request` with the answer of a node. `hops`: see Preface. If the node has moved, its
  // successor is asked, once. Without an answer: 503 `unavailable` if the request has not reached
  // the node, 502 if that is not known; 502 for what is no answer. `unreached`, if set, is called
  // in place of that 503, unless the client has gone.
  void forward(const LinkTarget& to, int hops, net::Request request, net::Responder responder,
               Unreached unreached = nullptr);

  // Ends what goes to any other node than these: the others have lost their leases, and may never
  // answer. Requests are answered 502, streamed answers are cut.
  void keep_only(const NodeNumbers& nodes);

  std::size_t in_progress() const { return exchanges_.size(); }
  std::size_t idle() const { return idle_.size(); }

 private:
  class Exchange;
  class IdleLink;

  std::unique_ptr<net::Stream> take_idle(const std::string& key);
  void keep(NodeNumber node, std::string key, std::unique_ptr<net::Stream> stream);
  void drop(const IdleLink& link);
  void release(std::unique_ptr<net::Stream> stream);

  core::Scheduler& scheduler_;
  LinkClient& links_;
  const Find find_;
  const std::shared_ptr<ForwardCounters> counters_;
  const Limits limits_;
  std::unordered_set<std::shared_ptr<Exchange>> exchanges_;
  std::list<std::unique_ptr<IdleLink>> idle_;  // the oldest first
};

}  // namespace parley::link
