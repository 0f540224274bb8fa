// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/assistant/routes.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/core/result.h"
#include "dialects/assistant/connect_rpc.h"
#include "dialects/assistant/connect_wire.h"

namespace parley::assistant {
namespace {

core::Result<bool> query_flag(const net::Request& request, std::string_view name) {
  const std::optional<std::string> text = request.query_param(name);
  if (!text || *text == "0") return false;
  if (*text == "1") return true;
  return core::fail(core::Code::invalid_argument, std::string(name) + " must be 0 or 1.",
                    std::string(name));
}

void add_method(net::Router& router, AssistantContext& context, std::string_view name,
                RpcMethod method) {
  router.add(
      "POST", std::string(kServicePath) + std::string(name),
      [&context, method](net::Request request, net::Responder responder) {
        serve_rpc(context, method, std::move(request), std::move(responder));
      },
      [&context, method](const net::Request& head) { return admit_rpc(context, method, head); });
}

}  // namespace

core::Result<UiHello> hello_of(const net::Request& request) {
  UiHello hello;
  if (const std::optional<std::string> text = request.query_param("gen")) {
    const std::optional<Generation> generation = generation_from(*text);
    if (!generation) {
      return core::fail(core::Code::invalid_argument, "gen must be 1, 2 or 3.", "gen");
    }
    hello.generation = *generation;
  }
  PARLEY_TRY(hello.ack, query_flag(request, "ack"));
  PARLEY_TRY(hello.aware, query_flag(request, "aware"));
  return hello;
}

void install(net::Router& router, AssistantContext& context) {
  net::WebSocketOptions options;
  options.max_message_bytes = context.options().max_frame_bytes;
  options.compression = context.options().compression;
  router.add_websocket(
      "/ws", options,
      [&context](
          const net::Request& request) -> tl::expected<net::AcceptedWebSocket, net::Response> {
        const core::Result<UiHello> hello = hello_of(request);
        if (!hello) return tl::unexpected(net::Response::error(hello.error()));
        const bool has_ways = context.options().homes != nullptr;
        return std::make_unique<UiConnection>(
            context, *hello, has_ways ? std::make_unique<const net::Request>(request) : nullptr);
      });
  add_method(router, context, "AskQuestion", RpcMethod::ask_question);
  add_method(router, context, "TaskFinish", RpcMethod::task_finish);
  add_method(router, context, "WorkReport", RpcMethod::work_report);
  add_method(router, context, "SendMcpClientInfo", RpcMethod::send_mcp_client_info);
  router.add("POST", std::string(kServicePath) + "*",
             [&context](const net::Request& request, net::Responder responder) {
               context.counters().rpc_refused.add();
               responder.send(rpc_unknown_method(request.path));
             });
}

}  // namespace parley::assistant
