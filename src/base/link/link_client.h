// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <unordered_map>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"
#include "base/core/error.h"
#include "base/core/scheduler.h"
#include "base/link/link_answer.h"
#include "base/link/link_preface.h"
#include "base/link/link_tls.h"
#include "base/net/loop/stream.h"

namespace parley::link {

// Limit (Cluster): connections to one node that a thread opens at a time. Reached: `unavailable`.
inline constexpr std::size_t kMaxOpeningLinks = 64;
// Limit (Cluster): connection to another node, from the first packet to the answer to the preface.
// Reached: `unavailable`.
inline constexpr core::Millis kLinkTimeout{3'000};
// Limit (Cluster): pause after another node gave no answer. Reached: `unavailable` at once.
inline constexpr core::Millis kLinkPause{1'000};

// A node to connect to.
struct LinkTarget {
  net::Endpoint at;  // its link address; a numeric host, since the resolution of a name blocks
  std::string name;
  NodeNumber number = kNoNode;
};

// This node, as it names itself in a preface.
struct LinkSender {
  std::string cluster;
  std::string name;
  NodeNumber number = kNoNode;  // kNoNode: it is no member at the moment
};

// The client whose connection is forwarded.
struct LinkedClient {
  std::string address;
  bool secure = false;
  int hops = 1;
  LinkKind kind = LinkKind::request;
};

// The reason why there is no connection.
struct LinkError {
  // `owned_elsewhere`: the home has moved to `successor`. `unavailable`: no answer, or a refusal.
  // `invalid_argument`: the client cannot be named in a preface.
  core::Error error;
  NodeNumber successor = kNoNode;
  std::optional<RefusalCode> refusal = {};  // if the node has refused
};

// Opens connections to other nodes of the cluster. Belongs to the thread of its scheduler.
class LinkClient {
 public:
  using Sender = std::function<LinkSender()>;
  using Opened = tl::expected<std::unique_ptr<net::Stream>, LinkError>;
  // Runs once, on the scheduler, not inside open(). It sets a handler for the stream before it
  // returns, or destroys it; it may destroy the LinkClient.
  using Done = absl::AnyInvocable<void(Opened opened)>;

  struct Limits {
    std::size_t opening = kMaxOpeningLinks;
    core::Millis timeout = kLinkTimeout;
    core::Millis pause = kLinkPause;
  };

  // `network` outlives this object.
  LinkClient(core::Scheduler& scheduler, net::Network& network, std::shared_ptr<const LinkTls> tls,
             Sender sender, Limits limits);
  LinkClient(core::Scheduler& scheduler, net::Network& network, std::shared_ptr<const LinkTls> tls,
             Sender sender);
  // Ends the connections that are being opened; their `done` is destroyed without running.
  ~LinkClient();
  LinkClient(const LinkClient&) = delete;
  LinkClient& operator=(const LinkClient&) = delete;

  // Connects to a node and sends, in one write, the preface and `first`, the bytes of the client
  // that were read already. The stream is behind the answer: what it delivers is the home's.
  void open(const LinkTarget& to, const LinkedClient& client, std::string_view first, Done done);

  // Connections to the node that are being opened.
  std::size_t opening(NodeNumber node) const;

 private:
  class Attempt;
  struct Node {
    std::size_t opening = 0;
    core::MonoTime retry_at{};  // not tried again before
  };

  core::Error refusal_to_try(const LinkTarget& to);
  void settle(Attempt& attempt, bool answered);

  core::Scheduler& scheduler_;
  net::Network& network_;
  std::shared_ptr<const LinkTls> tls_;
  Sender sender_;
  const Limits limits_;
  // Nodes with a connection that is being opened, or with a pause; others are removed by open().
  std::unordered_map<NodeNumber, Node> nodes_;
  std::unordered_map<Attempt*, std::unique_ptr<Attempt>> attempts_;
};

}  // namespace parley::link
