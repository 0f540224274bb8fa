// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"
#include "base/core/result.h"
#include "model/placement/home_map.h"
#include "model/placement/home_store.h"
#include "model/placement/placer.h"

namespace parley::placement {

// Time between two renewals of a lease, and between two tries after one that failed.
inline constexpr core::Millis kRenewal{1'000};
inline constexpr core::Millis kRenewalAfterFailure{200};

// Those who use the slots of a node. Called on the thread of the membership, where each calls back.
class HomeUser {
 public:
  using Done = absl::AnyInvocable<void()>;

  HomeUser() = default;
  HomeUser(const HomeUser&) = delete;
  HomeUser& operator=(const HomeUser&) = delete;
  virtual ~HomeUser() = default;

  // The cluster as a renewal has shown it, and this node's id in it.
  virtual void on_view(const View& view, NodeId self) = 0;
  // Another node has the slots, or may have them: their sessions leave memory.
  virtual void on_lost(const std::vector<Slot>& slots) = 0;
  // This node has the slots, which it has lost before if it had them. They are served from `done`
  // on: what is open in their sessions is in memory then.
  virtual void on_gained(const std::vector<TakenSlot>& slots, Done done) = 0;
  // The slots go to other nodes: their sessions leave memory. `done`: no commit of them is in
  // flight.
  virtual void on_leaving(const std::vector<Slot>& slots, Done done) = 0;
  // The first failure of a call after one that succeeded; std::nullopt: calls succeed again.
  virtual void on_trouble(const std::optional<core::Error>& trouble) = 0;
  // This node will be no member any more: see Membership::ended().
  virtual void on_ended(const core::Error& why) = 0;
};

// A node's part in a cluster: joins, renews its lease, takes and gives back slots. Its calls wait
// for the store, so they belong to a thread of their own.
class Membership {
 public:
  // All outlive the membership.
  Membership(NodeDescription self, HomeStore& store, HomeMap& map, HomeUser& user,
             const core::Clock& clock);

  // Makes the next call of the store, if one is due: at most one. Returns the time of the next one.
  core::MonoTime step();

  // Gives all slots to others from now on, as far as there are others.
  void drain() {
    wants_to_drain_ = true;
    next_renewal_ = {};
  }
  // Leaves at once; what is lost is reported.
  void leave();

  // The node's id while it is a member; kNobody before and after.
  NodeId id() const { return placer_ ? placer_->self() : kNobody; }
  std::size_t held() const { return placer_ ? placer_->held() : 0; }
  // Why it will be no member any more: another start of the node has taken its place, or another
  // node with its name has stayed live for longer than a lease.
  const std::optional<core::Error>& ended() const { return ended_; }
  // The last failure of a call, until one succeeds.
  const std::optional<core::Error>& trouble() const { return trouble_; }

 private:
  void join();
  void renew();
  void take();
  void give_back();
  void plan();
  void begin_to_leave();
  void end(core::Error why);
  void tell(const HomeChanges& changes);
  // Notes how a call ended. True: it succeeded.
  template <typename T>
  bool noted(const core::Result<T>& result);

  const NodeDescription self_;
  HomeStore& store_;
  HomeMap& map_;
  HomeUser& user_;
  const core::Clock& clock_;
  std::optional<Placer> placer_;
  core::MonoTime next_renewal_{};
  std::optional<core::MonoTime> refused_since_;  // another live node has this one's name
  std::vector<Slot> to_take_;
  std::vector<Slot> to_give_back_;
  bool wants_to_drain_ = false;
  bool drains_ = false;
  std::optional<core::Error> ended_;
  std::optional<core::Error> trouble_;
};

}  // namespace parley::placement
