// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/net/http/http.h"
#include "dialects/external_agent/relay_context.h"

namespace parley::external_agent {

// Adds the relay's WebSocket at `/agent/ws`; a plain GET there is 404 with an empty body. `context`
// outlives the router.
void install(net::Router& router, RelayContext& context);

}  // namespace parley::external_agent
