// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/http.h"
#include "protocol/chat/chat_context.h"

namespace parley::chat {

// Adds the WebSocket of the chat in every form that front ends use, and the routes of its sessions
// below /api/v1. `context` outlives the router.
void install(net::Router& router, ChatContext& context);

// session_routes.cpp: part of install().
void install_sessions(net::Router& router, ChatContext& context);

}  // namespace parley::chat
