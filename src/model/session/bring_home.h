// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "model/session/hub.h"

namespace parley::session {

// Moves a connection to the home of a session: `arrived` runs on the thread of its shard, after the
// move; before the call returns if the connection is already there.
template <typename Socket>
void bring_home(Socket& socket, const Hub& hub, std::string_view session_id,
                absl::AnyInvocable<void()> arrived) {
  core::Scheduler& target = hub.home_of(session_id).scheduler();
  if (&target == &socket.scheduler()) return arrived();
  socket.move_to(target, std::move(arrived));
}

}  // namespace parley::session
