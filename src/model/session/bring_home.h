// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "model/session/hub.h"

namespace parley::session {

// Moves a connection to the home of a session: `arrived` runs on the thread of its shard, after the
// move; before the call returns if the connection is already there. Errors: those of
// Hub::home_of(); then the connection is not moved.
template <typename Socket>
core::Result<void> bring_home(Socket& socket, const Hub& hub, std::string_view session_id,
                              absl::AnyInvocable<void()> arrived) {
  PARLEY_TRY(Shard* const home, hub.home_of(session_id));
  core::Scheduler& target = home->scheduler();
  if (&target == &socket.scheduler()) {
    arrived();
  } else {
    socket.move_to(target, std::move(arrived));
  }
  return {};
}

}  // namespace parley::session
