// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/link_frames.h"

#include <algorithm>

namespace parley::desktop {
namespace {

constexpr double kFirstPauseMs = 1'000;
constexpr double kLongestPauseMs = 30'000;
constexpr int kMostDoublings = 10;

template <typename Message>
void add_windows(Message& message, std::span<const TypingWindow> windows) {
  for (const TypingWindow& window : windows) {
    pb::ForwardWindowItem& item = *message.add_windows();
    item.set_window_id(window.id);
    item.set_title(window.title);
  }
}

pb::WebsocketMessage message_of(const char* cmd) {
  pb::WebsocketMessage message;
  message.set_cmd(cmd);
  return message;
}

}  // namespace

pb::WebsocketMessage login_message(std::string_view token, std::string_view nickname) {
  pb::WebsocketMessage message = message_of("UserLogin");
  message.set_strparam(std::string(token));
  message.set_nickname(std::string(nickname));
  return message;
}

pb::WebsocketMessage pending_query() {
  pb::WebsocketMessage message = message_of("GetPendingMessages");
  message.mutable_getpendingmessagesrequest();
  return message;
}

pb::WebsocketMessage online_query() {
  pb::WebsocketMessage message = message_of("GetOnlineUsers");
  message.mutable_getonlineusersrequest();
  return message;
}

pb::WebsocketMessage typing_answer(const pb::ForwardStateQueryRequest& query, bool enabled,
                                   std::span<const TypingWindow> windows) {
  pb::WebsocketMessage message = message_of("ForwardStateQueryResponse");
  pb::ForwardStateQueryResponse& answer = *message.mutable_forwardstatequeryresponse();
  answer.set_request_id(query.request_id());
  answer.set_target_client_id(query.requester_client_id());
  answer.set_forward_enabled(enabled);
  add_windows(answer, windows);
  return message;
}

pb::WebsocketMessage typing_changed(bool enabled, std::span<const TypingWindow> windows) {
  pb::WebsocketMessage message = message_of("ForwardStateChanged");
  pb::ForwardStateChangedNotification& change = *message.mutable_forwardstatechangednotification();
  change.set_forward_enabled(enabled);
  add_windows(change, windows);
  return message;
}

pb::WebsocketMessage typing_failed(const pb::ChatMessage& chat, std::string_view reason) {
  pb::WebsocketMessage message = message_of("ForwardDeliveryError");
  pb::ForwardDeliveryErrorNotification& error = *message.mutable_forwarddeliveryerrornotification();
  error.set_target_client_id(chat.sender_client_id());
  error.set_invalid_window_id(chat.forward_target().window_id());
  error.set_reason(std::string(reason));
  return message;
}

std::int64_t reconnect_pause_ms(int attempt, double random) {
  const double base = std::min(
      kLongestPauseMs, kFirstPauseMs * static_cast<double>(1 << std::min(attempt, kMostDoublings)));
  return static_cast<std::int64_t>(std::min(kLongestPauseMs, base * (0.8 + 0.4 * random)));
}

}  // namespace parley::desktop
