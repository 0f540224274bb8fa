// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/core/clock.h"
#include "base/core/worker.h"
#include "model/placement/home_map.h"
#include "model/placement/home_store.h"
#include "model/placement/membership.h"

namespace parley::placement {

// A membership on a thread of its own, which makes its calls of the store when they are due.
class MembershipThread {
 public:
  // `map`, `user` and `clock` outlive this. The user is called on the thread, and may call each
  // `done` on any thread until stop() returns.
  MembershipThread(NodeDescription self, std::unique_ptr<HomeStore> store, HomeMap& map,
                   HomeUser& user, const core::Clock& clock);
  ~MembershipThread();  // stop()
  MembershipThread(const MembershipThread&) = delete;
  MembershipThread& operator=(const MembershipThread&) = delete;

  // The calls below: any thread but that of the membership.
  //
  // Gives all slots to others, as far as there are others.
  void drain();
  // Leaves the cluster, then ends the thread. What is lost is reported.
  void stop();

 private:
  class User;

  void turn();
  void turn_soon();

  const std::unique_ptr<HomeStore> store_;
  const std::unique_ptr<User> user_;
  Membership membership_;
  core::TimerId timer_ = 0;
  core::Worker worker_;  // declared last: its tasks use the other members
};

}  // namespace parley::placement
