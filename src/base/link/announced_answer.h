// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/link/link_client.h"
#include "base/link/request_forwarder.h"
#include "base/net/http/http.h"

namespace parley::link {

// Limit (Cluster): wait of an answer until the other nodes have read what its request has changed.
// Reached: it is sent, and they read it within a second.
inline constexpr core::Millis kAnnounceWait{1'000};

// The route, POST without a body, at which a node tells another one that tokens, users or logins
// have changed; that one answers when it has read them.
inline constexpr std::string_view kChangesPath = "/link/changes";

// The other live nodes. Must not block.
using Others = std::function<std::vector<LinkTarget>()>;

// The responder of a request that may change what all nodes have to know: its answer, unless it is
// an error, is sent when the others have read the change. `requests` passes the word to them.
net::Responder announced(net::Responder inner, const Others& others,
                         std::weak_ptr<RequestForwarder> requests);

}  // namespace parley::link
