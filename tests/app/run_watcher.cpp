// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "run_watcher.h"

#include <boost/json/serialize.hpp>
#include <utility>

#include "run_program.h"

namespace parley::tests {

const char* name_of(Transport transport) {
  switch (transport) {
    case Transport::ndjson:
      return "NDJSON";
    case Transport::sse:
      return "SSE";
    case Transport::websocket:
      break;
  }
  return "WebSocket";
}

RunWatcher::RunWatcher(const Server& server, std::string token, Transport transport,
                       std::string run_id, std::uint64_t after)
    : transport_(transport), run_id_(std::move(run_id)), after_(after) {
  if (transport == Transport::websocket) {
    open_websocket(server, token);
  } else {
    open_http(server, token);
  }
}

void RunWatcher::open_http(const Server& server, const std::string& token) {
  conformance::StreamSettings how;
  const bool sse = transport_ == Transport::sse;
  how.kind =
      sse ? conformance::StreamSettings::Kind::sse : conformance::StreamSettings::Kind::ndjson;
  how.path = "/v1/runs/" + run_id_ + "/events";
  how.headers = {{"Authorization", "Bearer " + token},
                 {"Accept", sse ? "text/event-stream" : "application/x-ndjson"}};
  // Each transport states its position in its own way.
  if (after_ > 0 && sse) how.headers.emplace_back("Last-Event-ID", std::to_string(after_));
  if (after_ > 0 && !sse) how.path += "?after=" + std::to_string(after_);
  auto opened =
      conformance::open_stream(*conformance::Target::parse(server.url()), how, in_ms(kPatience));
  if (!opened) {
    ADD_FAILURE() << opened.error().message;
    return;
  }
  EXPECT_EQ(opened->status, 200);
  wire_ = std::move(opened->wire);
}

void RunWatcher::open_websocket(const Server& server, const std::string& token) {
  conformance::WebSocketSettings how;
  how.path = "/loom/ws?token=" + token;
  auto opened =
      conformance::open_websocket(*conformance::Target::parse(server.url()), how, in_ms(kPatience));
  if (!opened) {
    ADD_FAILURE() << opened.error().message;
    return;
  }
  wire_ = std::move(*opened);
  conformance::Outgoing attach;
  attach.text = R"({"type":"attach","id":"w","run_id":")" + run_id_ + R"(","after":)" +
                std::to_string(after_) + "}";
  EXPECT_TRUE(wire_->send(attach, in_ms(kPatience)));
}

std::optional<std::string> RunWatcher::next() {
  if (!wire_) return std::nullopt;
  const auto received = wire_->receive(in_ms(kPatience));
  if (!received) {
    ADD_FAILURE() << name_of(transport_) << ": " << received.error().message;
    return std::nullopt;
  }
  if (received->kind != conformance::Received::Kind::message) {
    if (transport_ == Transport::websocket) ADD_FAILURE() << "closed: " << received->reason;
    return std::nullopt;
  }
  if (transport_ == Transport::websocket) return event_in(*received);
  if (transport_ == Transport::ndjson) return received->bytes;
  // The id of a server-sent event is the frame's, and its data the frame.
  constexpr std::string_view kData = "data: ";
  const std::size_t at = received->bytes.find(kData);
  if (at == std::string::npos) {
    ADD_FAILURE() << "no data: " << received->bytes;
    return std::nullopt;
  }
  std::string frame = received->bytes.substr(at + kData.size());
  while (frame.ends_with('\n')) frame.pop_back();
  EXPECT_EQ(received->bytes.substr(0, at),
            "id: " + std::to_string(RunFrame::read(frame).id()) + "\n");
  return frame;
}

std::optional<std::string> RunWatcher::event_in(const conformance::Received& received) {
  constexpr std::string_view kHead = R"({"type":"run_stream_event","id":"w","event":)";
  if (received.bytes.starts_with(kHead)) {
    return received.bytes.substr(kHead.size(), received.bytes.size() - kHead.size() - 1);
  }
  ending_ = RunFrame::read(received.bytes).json;
  return std::nullopt;
}

}  // namespace parley::tests
