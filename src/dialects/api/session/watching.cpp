// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/session/watching.h"

#include "base/core/id.h"

namespace parley::api {

session::ParticipantInfo observer_of(const Context& context, const auth::Identity& identity,
                                     const core::Clock& clock) {
  session::ParticipantInfo info;
  info.client_id = core::new_id(clock, context.entropy);
  info.nickname = identity.name;
  info.role = session::ParticipantRole::observer;
  info.dialect = "v1";
  info.connected_at = clock.wall();
  return info;
}

std::string_view end_reason(const core::Error& error) {
  return error.code == core::Code::resource_exhausted ? "too_many_participants"
                                                      : "session_unavailable";
}

std::string_view end_reason(session::LeaveReason reason) {
  switch (reason) {
    case session::LeaveReason::token_revoked:
      return "token_revoked";
    case session::LeaveReason::shutting_down:
      return "shutting_down";
    case session::LeaveReason::home_moved:
      break;
  }
  return "home_moved";
}

}  // namespace parley::api
