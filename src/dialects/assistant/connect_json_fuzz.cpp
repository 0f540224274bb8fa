// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Bodies of RPCs. The first byte of the input chooses method, codec and compression.
#include <google/protobuf/stubs/logging.h>
#include <spdlog/spdlog.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "dialects/assistant/connect_wire.h"
#include "tests/support/assistant/assistant_fixture.h"

namespace {

namespace pa = parley::assistant;

// A message that was read must survive a round trip of writing and reading.
void check_round_trip(const std::string& body) {
  pa::pb::AskQuestionRequest message;
  if (!pa::read_message(pa::RpcCodec::json, body, message)) return;
  pa::pb::AskQuestionRequest again;
  const std::string json = pa::write_message(pa::RpcCodec::json, message);
  if (!pa::read_message(pa::RpcCodec::json, json, again)) std::abort();
  if (pa::encode(message) != pa::encode(again)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool quiet = [] {
    spdlog::set_level(spdlog::level::off);
    google::protobuf::SetLogHandler(nullptr);
    return true;
  }();
  if (!quiet || size == 0) return 0;
  const std::uint8_t choice = data[0];
  const std::string body(reinterpret_cast<const char*>(data) + 1, size - 1);
  check_round_trip(body);
  pa::AssistantServer server;
  parley::net::Request request =
      pa::rpc_request(body, (choice & 4U) != 0 ? "application/proto" : "application/json");
  request.headers.set("Authorization", "Bearer tok");
  if ((choice & 8U) != 0) request.headers.set("Content-Encoding", "gzip");
  const auto call = server.call(static_cast<pa::RpcMethod>(choice & 3U), std::move(request));
  server.run();
  call->gone();
  server.run();
  server.advance(std::chrono::seconds(3));
  // No question may be pending: the server has answered, or the question has ended with its caller.
  if (server.hub->shard(0).counts().pending != 0) std::abort();
  return 0;
}
