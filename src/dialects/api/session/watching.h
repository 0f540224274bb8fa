// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "dialects/api/handlers.h"
#include "model/session/participant.h"

namespace parley::api {

// Makes the participant with which a stream observes a session.
session::ParticipantInfo observer_of(const Context& context, const auth::Identity& identity,
                                     const core::Clock& clock);

// The reason in the `end` of a stream: "session_unavailable" or "too_many_participants" if joining
// its session failed, "token_revoked" or "shutting_down" later.
std::string_view end_reason(const core::Error& error);
std::string_view end_reason(session::LeaveReason reason);

}  // namespace parley::api
