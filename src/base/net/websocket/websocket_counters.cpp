// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <utility>

#include "base/net/websocket/websocket_connection.h"

namespace parley::net {
namespace {

// The codes with counters of their own; all other codes are counted as "other".
constexpr std::array<std::uint16_t, 14> kCountedCodes = {1000, 1001, 1002, 1003, 1005, 1006, 1007,
                                                         1008, 1009, 1011, 1012, 1013, 4401, 4403};

}  // namespace

std::shared_ptr<const WebSocketCounters> WebSocketCounters::of(Metrics& metrics) {
  auto counters = std::make_shared<WebSocketCounters>();
  constexpr std::string_view kMessages = "parley_websocket_messages_total";
  constexpr std::string_view kMessagesHelp = "WebSocket messages.";
  constexpr std::string_view kBytes = "parley_websocket_bytes_total";
  constexpr std::string_view kBytesHelp = "Bytes of WebSocket frames.";
  counters->messages_in = &metrics.counter(kMessages, kMessagesHelp, {{"direction", "in"}});
  counters->messages_out = &metrics.counter(kMessages, kMessagesHelp, {{"direction", "out"}});
  counters->bytes_in = &metrics.counter(kBytes, kBytesHelp, {{"direction", "in"}});
  counters->bytes_out = &metrics.counter(kBytes, kBytesHelp, {{"direction", "out"}});
  counters->slow_consumers =
      &metrics.counter("parley_websocket_slow_consumers_total",
                       "WebSockets closed with 1013 because their send queue was full.");
  counters->slow_messages = &metrics.counter(
      "parley_websocket_slow_messages_total",
      "WebSockets closed with 1008 because the rest of a message did not arrive in time.");
  counters->no_room = &metrics.counter(
      "parley_websocket_no_room_total",
      "WebSockets closed with 1013 because unfinished messages had used up their budget.");
  constexpr std::string_view kClosed = "parley_websocket_closed_total";
  constexpr std::string_view kClosedHelp = "WebSockets that have ended, by close code.";
  std::array<Counter*, kCountedCodes.size()> closed{};
  for (std::size_t i = 0; i < closed.size(); ++i) {
    closed[i] =
        &metrics.counter(kClosed, kClosedHelp, {{"code", std::to_string(kCountedCodes[i])}});
  }
  Counter* const other = &metrics.counter(kClosed, kClosedHelp, {{"code", "other"}});
  counters->closed = [closed, other](std::uint16_t code) {
    for (std::size_t i = 0; i < closed.size(); ++i) {
      if (kCountedCodes[i] == code) {
        closed[i]->add();
        return;
      }
    }
    other->add();
  };
  return counters;
}

}  // namespace parley::net
