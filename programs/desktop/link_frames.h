// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "agentassist.pb.h"

namespace parley::desktop {

namespace pb = agentassistproto;

// A window of this computer in the list of agentassistant-input.
struct TypingWindow {
  std::string id;
  std::string title;
};

// The frames that the desktop program sends. Only the login contains the token.
pb::WebsocketMessage login_message(std::string_view token, std::string_view nickname);
pb::WebsocketMessage pending_query();
pb::WebsocketMessage online_query();
// The answer to a client that asks whether its messages are typed here, and into which windows.
pb::WebsocketMessage typing_answer(const pb::ForwardStateQueryRequest& query, bool enabled,
                                   std::span<const TypingWindow> windows);
pb::WebsocketMessage typing_changed(bool enabled, std::span<const TypingWindow> windows);
// The notice to the sender of a chat message that its text could not be typed.
pb::WebsocketMessage typing_failed(const pb::ChatMessage& message, std::string_view reason);

// Pause before the reconnection number `attempt` (0: the first): 1, 2, 4 ... 30 s. Each is up to a
// fifth shorter or longer by `random` (0 to 1), so that clients do not reconnect together; none
// exceeds 30 s.
std::int64_t reconnect_pause_ms(int attempt, double random);

}  // namespace parley::desktop
