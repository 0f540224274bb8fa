// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/net/http/http.h"
#include "dialects/loom/loom_context.h"

namespace parley::loom {

// Adds the WebSocket of the Loom protocol at `/loom/ws`; a token is required, in the query or the
// Authorization header. `context` outlives the router.
void install(net::Router& router, LoomContext& context);

}  // namespace parley::loom
