// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/net/http/http.h"
#include "dialects/chat/chat_context.h"

namespace parley::chat {

// Adds the WebSocket of the chat under every address that front ends use, and the routes of its
// sessions below /api/v1. `context` outlives the router.
void install(net::Router& router, ChatContext& context);

// Parts of install(): session_routes.cpp, comfyui_routes.cpp. The latter adds nothing if the
// context has no ComfyUI servers.
void install_sessions(net::Router& router, ChatContext& context);
void install_comfyui(net::Router& router, ChatContext& context);

}  // namespace parley::chat
