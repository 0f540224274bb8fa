// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/routes.h"

#include <charconv>
#include <memory>
#include <string>
#include <utility>

#include "dialects/chat/chat_connection.h"
#include "dialects/chat/front_end_call.h"
#include "identity/access/authority.h"
#include "identity/access/entrance.h"

namespace parley::chat {
namespace {

struct Form {
  const char* path;
  Generation generation;
};
// Front ends of the second generation build the last forms from their base addresses.
constexpr Form kForms[] = {
    {"/ws/chat/{sessionCode}", Generation::first},      {"/ws/chat", Generation::first},
    {"/api/ws/chat/{sessionCode}", Generation::second}, {"/api/ws/chat", Generation::second},
    {"/api/api/ws/chat", Generation::second},
};

// Value that asks for the frames of tools of Parley's own page (docs/protocol-chat.md).
constexpr std::string_view kToolsDetail = "tools";

net::Response refuse(int status, const std::string& message) {
  return net::Response::text(status, message + "\n");
}

tl::expected<net::AcceptedWebSocket, net::Response> accept(ChatContext& context, const Form& form,
                                                           const net::Request& request) {
  std::string token = request.token();
  const auto identity =
      access::let_in(context.verifier, access::row_of("WS", form.path), token, request.peer);
  if (!identity) return tl::unexpected(access::refuse(identity.error()));
  ChatCaller caller{identity->workspace, identity->name, std::move(token), identity->rights,
                    access::authority_of(*identity)};
  caller.generation = form.generation;
  caller.session_code = request.path_param("sessionCode");
  if (caller.session_code.empty()) {
    caller.session_code = request.query_param("sessionCode").value_or("");
  }
  if (caller.session_code.empty()) {
    return tl::unexpected(refuse(400, "The query parameter \"sessionCode\" is missing."));
  }
  // An unknown session and a session of another owner get the same text, so that it reveals
  // nothing.
  if (!context.sessions.owns(caller.owner, caller.session_code)) {
    return tl::unexpected(refuse(403, "There is no such chat session of yours."));
  }
  if (const auto after = request.query_param("after")) {
    std::uint64_t seq = 0;
    const char* const end = after->data() + after->size();
    const auto [rest, error] = std::from_chars(after->data(), end, seq);
    if (error != std::errc() || rest != end) {
      return tl::unexpected(refuse(400, "\"after\" must be the sequence number of an event."));
    }
    caller.after = seq;
  }
  if (const auto detail = request.query_param("detail")) {
    if (*detail != kToolsDetail) {
      return tl::unexpected(refuse(400, "\"detail\" must be \"tools\"."));
    }
    caller.detail = true;
  }
  const std::string account = caller.owner;
  return net::AcceptedWebSocket(std::make_unique<ChatConnection>(context, std::move(caller)),
                                account);
}

}  // namespace

ChatCounters::ChatCounters(net::Metrics& metrics)
    : messages(metrics.counter("parley_chat_messages_total", "Messages from chat clients")),
      errors(
          metrics.counter("parley_chat_errors_total", "Messages that were answered with an error")),
      replays_cut(metrics.counter("parley_chat_replays_cut_total",
                                  "Reconnected clients that could not get all missed messages")) {}

void install(net::Router& router, ChatContext& context) {
  net::WebSocketOptions options;
  options.max_message_bytes = context.options.max_message_bytes;
  options.compression = context.options.compression;
  for (const Form& form : kForms) {
    router.add_websocket(form.path, options, [&context, &form](const net::Request& request) {
      return accept(context, form, request);
    });
  }
  install_sessions(router, context);
  if (context.front_end == nullptr) return;
  install_agents(router, context);
  install_models(router, context);
  install_workflows(router, context);
  install_files(router, context);
  install_comfyui(router, context);
}

}  // namespace parley::chat
