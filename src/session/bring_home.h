// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "core/result.h"
#include "session/hub.h"

namespace parley::session {

// Brings a connection to the home of a session: `arrived` runs on the thread of its shard, where
// the connection has moved to; before the call returns if it is there already. Errors: those of
// Hub::home_of(); then the connection stays where it is.
template <typename Socket>
core::Result<void> bring_home(Socket& socket, const Hub& hub, std::string_view session_id,
                              absl::AnyInvocable<void()> arrived) {
  const core::Result<Shard*> home = hub.home_of(session_id);
  if (!home) return core::fail(home.error());
  core::Scheduler& target = (*home)->scheduler();
  if (&target == &socket.scheduler()) {
    arrived();
  } else {
    socket.move_to(target, std::move(arrived));
  }
  return {};
}

}  // namespace parley::session
