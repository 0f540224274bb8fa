// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/server/settings.h"
#include "base/core/clock.h"
#include "base/core/corrected_clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/net/http/http.h"
#include "base/net/http/metrics.h"
#include "base/net/loop/stream.h"
#include "base/net/server/home_passage.h"
#include "base/net/server/server.h"
#include "identity/auth/token_store.h"
#include "model/event/session_store.h"
#include "model/placement/home_map.h"
#include "model/session/hub.h"

namespace parley::app {

// The part of a server in a cluster (docs/cluster.md): its slots, the connections of its clients
// that go to other nodes, and those of other nodes that come here. Call all functions on the thread
// that created the object, in the order of this class.
class ClusterAssembly {
 public:
  // The owner, by whose slot its home is found, of what belongs to no owner: codes of OAuth,
  // bookings.
  static constexpr std::string_view kNobodysOwner = "parley";

  struct Dependencies {  // all outlive the assembly
    const Settings& settings;
    core::CorrectedClock& clock;  // goes by the database's clock from the first renewal on
    core::Entropy& entropy;
    net::Network& tcp;
    net::Metrics& metrics;
  };

  // Null: the settings name no node. Errors: `invalid_argument` with the setting as its field.
  static core::Result<std::unique_ptr<ClusterAssembly>> make(const Dependencies& dependencies);
  ~ClusterAssembly();  // leave()

  // The slots of this node, for the store.
  const placement::HomeMap& homes() const;
  // True: this node serves an owner. Any thread.
  bool serves(std::string_view owner) const;
  // True: this node serves what belongs to no owner (access::Row::shared). Any thread.
  bool serves_shared() const;
  // True: the slot of that is among `slots`.
  static bool has_shared(const placement::SlotSet& slots);
  // Gets the authority of the cluster from the database, or makes it, and opens the homes. Call
  // when the data directory is locked. Errors: `invalid_argument` with the field "cluster.name"
  // (the database is of another cluster); those of auth::share_secret(), of
  // ClusterAuthority::parse() and of sql::open_store().
  core::Result<void> open();
  // The node that serves an owner, for the hub.
  session::Placement placement();

  // The tokens, users and logins of the server.
  struct Identities {
    // They know the owner for whom a handshake speaks; `guests` may return null.
    auth::Verifier& tokens;
    std::function<auth::Verifier*()> guests;
    // Reads what other nodes have changed of them; `done` once it is read. Any thread.
    std::function<void(core::Task done)> reread;
  };
  // Makes the ways of the server's threads to other nodes. Call before their loops run.
  void open_ways(const std::vector<core::Scheduler*>& schedulers, Identities identities);
  net::HomePassage& ways();
  // Adds the route of other nodes to `router`, and wraps the others. Call when all are added.
  void install(net::Router& router);

  // Completes what other services have about the owners of slots that this node has gained, when
  // their sessions are in memory; they are served from `done` on. Any thread.
  using Gained = std::function<void(const placement::SlotSet& slots, core::Task done)>;
  // The parts of the server that use the slots.
  struct Users {
    session::Hub& hub;
    event::SessionStore& store;
    net::Server& server;
    std::vector<core::Scheduler*> schedulers;
    Gained gained;
  };
  // Listens for other nodes, and joins the cluster; waits until this node is a member. Errors:
  // those of Network::listen(), with the field "cluster.listen"; `already_exists` (another live
  // node has this one's name), `failed_precondition` (a server that is no node uses the database).
  core::Result<void> join(Users users);

  // Fails while this node serves nothing. Any thread.
  core::Result<void> readiness() const;
  // Why this node will be no member any more: another start has taken its place. Any thread.
  std::optional<core::Error> ended() const;

  // Gives the slots to other nodes, as far as there are others; waits for it, `patience` at most.
  void drain(core::Millis patience);
  // Leaves the cluster, whose other nodes take what is left, and ends what is passed on. Call when
  // the store is closed and no loop runs, before the server is destroyed. Idempotent.
  void leave();

 private:
  struct Parts;
  explicit ClusterAssembly(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

// ClusterAssembly::serves() and serves_shared() of `cluster`, which outlives them; null without
// one.
std::function<bool(std::string_view owner)> owners_at_home(const ClusterAssembly* cluster);
std::function<bool()> shared_at_home(const ClusterAssembly* cluster);

}  // namespace parley::app
