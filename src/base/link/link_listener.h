// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/link/link_answer.h"
#include "base/link/link_preface.h"
#include "base/link/link_tls.h"
#include "base/net/loop/stream.h"

namespace parley::link {

// Limit (Cluster): forwarded connections of a thread that have not sent their preface. Reached:
// refused, `busy`.
inline constexpr std::size_t kMaxWaitingLinks = 256;
// Limit (Cluster): connections above a limit that are refused with a sentence at the same time.
// Reached: closed at once.
inline constexpr std::size_t kMaxLinkRefusals = 64;
// Limit (Cluster): TLS handshake and preface of another node. Reached: cut, counted.
inline constexpr core::Millis kPrefaceTimeout{5'000};

// This node, as a preface is compared with it.
struct LinkHome {
  std::string cluster;
  NodeNumber number = kNoNode;     // kNoNode: it is no member at the moment
  NodeNumber successor = kNoNode;  // the node that has what the preface wants; kNoNode: this one
  bool is_shutting_down = false;
};

// The answer of a node to a preface.
LinkAnswer answer_to(const Preface& preface, const LinkHome& home);

// A connection that another node has forwarded. The stream is as if the client had connected:
// peer() is its address, secure() says whether it came by TLS, and the first bytes are those behind
// the preface.
struct LinkConnection {
  Preface preface;
  std::unique_ptr<net::Stream> stream;
};

// Counters of the listeners of a node. Any thread.
struct LinkCounters {
  std::atomic<std::size_t> open{0};  // accepted and not yet destroyed
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> moved{0};           // answered with a successor
  std::atomic<std::uint64_t> bad_handshakes{0};  // TLS that failed
  std::atomic<std::uint64_t> late{0};            // no preface within the deadline
  std::atomic<std::uint64_t> gone{0};            // ended before the preface was complete
  std::atomic<std::uint64_t> dropped{0};         // closed without an answer, above kMaxLinkRefusals
  std::array<std::atomic<std::uint64_t>, kRefusalNames.size()> refused{};  // by RefusalCode

  std::uint64_t refused_for(RefusalCode code) const {
    return refused.at(static_cast<std::size_t>(code)).load(std::memory_order_relaxed);
  }
};

// Listens for the other nodes of the cluster on one thread: TLS, preface, answer. Peers that are no
// node, and prefaces for another node, are refused and counted; the first refusal of a minute is
// logged with its reason. Belongs to the thread of its scheduler; accepted connections outlive it.
class LinkListener {
 public:
  // The state of this node now, for one preface. Must not block.
  using Home = std::function<LinkHome(const Preface& preface)>;
  // Sets a handler for the stream before it returns, or destroys it.
  using Accept = std::function<void(LinkConnection connection)>;

  struct Limits {
    std::size_t waiting = kMaxWaitingLinks;
    // Connections that other nodes have forwarded, together with the listeners of the same
    // counters; more are refused, `busy`.
    std::size_t open = 20'000;
    core::Millis preface_timeout = kPrefaceTimeout;
  };

  // `tls` and `counters` may be shared with the listeners of other threads.
  LinkListener(core::Scheduler& scheduler, std::shared_ptr<const LinkTls> tls, Home home,
               Accept accept, std::shared_ptr<LinkCounters> counters, Limits limits);
  LinkListener(core::Scheduler& scheduler, std::shared_ptr<const LinkTls> tls, Home home,
               Accept accept, std::shared_ptr<LinkCounters> counters);
  // Cuts the connections that are not accepted yet.
  ~LinkListener();
  LinkListener(const LinkListener&) = delete;
  LinkListener& operator=(const LinkListener&) = delete;

  // Call once. Returns the real address. Errors: those of Network::listen().
  core::Result<net::Endpoint> listen(net::Network& network, const net::Endpoint& at);

  // Connections that are not accepted yet, also refused ones that have not ended.
  std::size_t waiting() const { return arrivals_.size(); }

 private:
  class Arrival;

  void take(std::unique_ptr<net::Stream> stream);
  bool is_full() const;
  void pass_on(Arrival& arrival, std::string_view unread);
  void refused(const std::string& address, const Refusal& refusal);
  void failed(const std::string& address, std::atomic<std::uint64_t>& counter,
              std::string_view reason);
  void log(const std::string& address, std::string_view reason);
  void forget(Arrival& arrival);

  core::Scheduler& scheduler_;
  std::shared_ptr<const LinkTls> tls_;
  Home home_;
  Accept accept_;
  std::shared_ptr<LinkCounters> counters_;
  const Limits limits_;
  std::optional<core::MonoTime> logged_at_;
  std::uint64_t unlogged_ = 0;  // refusals since then
  std::unordered_map<Arrival*, std::unique_ptr<Arrival>> arrivals_;
  std::unique_ptr<net::Listener> listener_;
};

}  // namespace parley::link
