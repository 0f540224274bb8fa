// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/mcp_http/routes.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/mcp/json_rpc.h"
#include "agents/mcp/mcp_revision.h"
#include "base/core/ascii.h"
#include "base/core/id.h"
#include "base/core/number_text.h"
#include "dialects/mcp_http/http_envelope.h"
#include "dialects/mcp_http/legacy_session.h"
#include "dialects/mcp_http/modern_call.h"
#include "identity/access/entrance.h"

namespace parley::mcp_http {
namespace {

using mcp::RpcMessage;

constexpr std::size_t kSessionIdBytes = 16;

// A request with its caller, on its way to the session or the call that serves it.
struct Post {
  net::Request request;
  net::Responder responder;
  auth::Identity caller;
};

net::Response error_response(int status, std::string_view id, int code, std::string_view text) {
  return net::Response::json(status, mcp::rpc_error(id, code, text));
}

// The value of WWW-Authenticate. `error`: "invalid_token", "insufficient_scope", or empty if no
// token was sent.
std::string challenge(const McpHttpContext& context, const net::Request& head,
                      std::string_view error) {
  const std::optional<LoginHint>& login = context.options().login;
  const std::string metadata = login ? login->metadata(head) : std::string();
  if (metadata.empty()) return "Bearer realm=\"parley\"";
  std::string out = "Bearer ";
  if (!error.empty()) out += "error=\"" + std::string(error) + "\", ";
  return out + "resource_metadata=\"" + metadata + "\", scope=\"" + login->scopes + "\"";
}

void refuse(McpHttpContext& context, Post post, int status, std::string_view id, int code,
            std::string_view text) {
  context.counters().refused.add();
  net::Response response = error_response(status, id, code, text);
  if (status == 405) response.headers.set("Allow", "POST");
  if (status == 403 && context.options().login) {
    response.headers.set("WWW-Authenticate",
                         challenge(context, post.request, "insufficient_scope"));
  }
  post.responder.send(std::move(response));
}

// A refusal by the table of rights, before the body is read.
net::Response refusal(const McpHttpContext& context, const core::Error& error,
                      const net::Request& head) {
  net::Response response = net::Response::error(error);
  response.body = mcp::rpc_error("null", mcp::kInvalidRequest, error.message);
  response.headers.set("Content-Type", "application/json");
  if (error.code == core::Code::unauthenticated) {
    response.headers.set("WWW-Authenticate",
                         challenge(context, head, head.token().empty() ? "" : "invalid_token"));
  }
  return response;
}

// The right that a method needs beside a valid token.
core::Result<void> check_method(const std::string& method, auth::Rights rights) {
  const access::Row* row = access::find_row("message", "/mcp " + method);
  return row == nullptr ? core::Result<void>() : access::check_right(*row, rights);
}

// The thread that an id of a session names, "THREAD-...".
std::optional<std::size_t> thread_of(const McpHttpContext& context, std::string_view session_id) {
  const std::size_t dash = session_id.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto thread = core::parse_number<std::size_t>(session_id.substr(0, dash));
  if (!thread || *thread >= context.threads()) return std::nullopt;
  return thread;
}

using WithSession =
    absl::AnyInvocable<void(std::shared_ptr<LegacySession> session)>;  // null: not known

// Runs `use` on the thread of the session that the request names, with the caller's session.
void with_session(McpHttpContext& context, const net::Request& request,
                  const auth::Identity& caller, WithSession use) {
  std::string id(request.headers.get(kSessionField));
  const auto thread = thread_of(context, id);
  if (!thread) return use(nullptr);
  context.scheduler(*thread).post(
      [&context, thread = *thread, id = std::move(id), caller, use = std::move(use)]() mutable {
        const auto& sessions = context.shard(thread).sessions;
        const auto found = sessions.find(id);
        const bool own = found != sessions.end() && found->second->belongs_to(caller);
        use(own ? found->second : nullptr);
      });
}

constexpr std::string_view kNoSession =
    "The session is not known: it has ended, or it belongs to another token. Begin a new one with "
    "initialize.";

constexpr std::string_view kStreamOver = "The stream of this event has ended with this event.";
constexpr std::string_view kStreamForgotten = "The stream of this event is no longer kept";

constexpr std::string_view kNoBatches =
    "Batches are not supported by this revision: send one message in each request.";

std::vector<RpcMessage> one(RpcMessage message) {
  std::vector<RpcMessage> out;
  out.push_back(std::move(message));
  return out;
}

void begin_session(McpHttpContext& context, Post post, RpcMessage message) {
  core::Scheduler& scheduler = post.responder.scheduler();
  const std::size_t thread = context.index_of(scheduler);
  McpShard& shard = context.shard(thread);
  std::size_t& count = shard.sessions_of[post.caller.workspace];
  if (count >= context.options().max_sessions) {
    context.counters().sessions_refused.add();
    return refuse(context, std::move(post), 429, message.id, mcp::kInternalError,
                  "Too many MCP sessions of this workspace are open (" +
                      std::to_string(context.options().max_sessions) +
                      "). End one of them with DELETE.");
  }
  ++count;
  const std::string id =
      std::to_string(thread) + "-" + core::random_hex(context.entropy(), kSessionIdBytes);
  auto session = std::make_shared<LegacySession>(context, thread, id, post.caller,
                                                 post.request.token(), post.request.peer);
  shard.sessions.emplace(id, session);
  context.counters().sessions.add();
  auto channel = ReplyChannel::make(std::move(post.responder), id);
  channel->wait();
  session->begin();
  session->on_messages(one(std::move(message)), std::move(channel));
}

void serve_legacy(McpHttpContext& context, Post post, mcp::RpcLine read) {
  const RpcMessage& message = read.messages.front();
  const std::string_view revision = post.request.headers.get(kVersionField);
  if (!revision.empty() && !mcp::is_legacy(revision)) {
    return refuse(context, std::move(post), 400, message.id, mcp::kInvalidRequest,
                  "Unsupported MCP-Protocol-Version");
  }
  if (!read.batch && message.method == "initialize" && message.kind == RpcMessage::Kind::request) {
    return begin_session(context, std::move(post), std::move(read.messages.front()));
  }
  if (!post.request.headers.has(kSessionField)) {
    return refuse(context, std::move(post), 400, message.id, mcp::kInvalidRequest,
                  "The header Mcp-Session-Id is missing. Begin a session with initialize.");
  }
  const net::Request request = std::move(post.request);
  auto channel = ReplyChannel::make(std::move(post.responder));
  channel->wait();
  with_session(context, request, post.caller,
               [&context, channel,
                read = std::move(read)](const std::shared_ptr<LegacySession>& session) mutable {
                 const bool fits = session && (!read.batch || session->takes_batches());
                 if (fits) return session->on_messages(std::move(read.messages), channel);
                 context.counters().refused.add();
                 const std::string id = read.batch ? "null" : read.messages.front().id;
                 channel->scheduler().post([channel, id, known = session != nullptr] {
                   channel->finish(
                       known ? 400 : 404, {},
                       mcp::rpc_error(id, mcp::kInvalidRequest, known ? kNoBatches : kNoSession));
                 });
               });
}

void serve_post(McpHttpContext& context, Post post) {
  context.counters().requests.add();
  const net::Headers& headers = post.request.headers;
  const std::string_view type = headers.get("Content-Type");
  if (!core::lowered(type).starts_with("application/json")) {
    return refuse(context, std::move(post), 415, "null", mcp::kInvalidRequest,
                  "Content-Type must be application/json");
  }
  if (!accepts_answers(headers)) {
    return refuse(context, std::move(post), 406, "null", mcp::kInvalidRequest,
                  "Accept must list application/json and text/event-stream");
  }
  mcp::RpcLine read = mcp::parse_rpc_line(post.request.body);
  if (read.messages.empty()) {
    return refuse(context, std::move(post), 400, "null", mcp::kInvalidRequest, "The body is empty");
  }
  for (const RpcMessage& message : read.messages) {
    if (message.kind == RpcMessage::Kind::invalid) {
      return refuse(context, std::move(post), 400, message.id, message.error_code,
                    message.error_text);
    }
    if (const auto allowed = check_method(message.method, post.caller.rights); !allowed) {
      return refuse(context, std::move(post), 403, message.id, mcp::kInvalidRequest,
                    allowed.error().message);
    }
  }
  if (read.batch || !is_modern(headers, read.messages.front())) {
    return serve_legacy(context, std::move(post), std::move(read));
  }
  RpcMessage message = std::move(read.messages.front());
  if (message.kind == RpcMessage::Kind::response) {
    return refuse(context, std::move(post), 400, message.id, mcp::kInvalidRequest,
                  "Revision 2026-07-28 has no responses of clients");
  }
  const net::Request request = std::move(post.request);
  std::make_shared<ModernCall>(context, std::move(post.caller), request.token(), request.peer,
                               std::move(post.responder))
      ->start(std::move(message), request.headers);
}

// GET: a stream of the session, or the rest of one.
void serve_get(McpHttpContext& context, Post post) {
  if (!post.request.headers.has(kSessionField)) {
    return refuse(context, std::move(post), 405, "null", mcp::kInvalidRequest,
                  "GET needs the header Mcp-Session-Id");
  }
  const std::string last(post.request.headers.get(kLastEventField));
  const auto place = EventPlace::parse(last);
  if (!last.empty() && !place) {
    return refuse(context, std::move(post), 400, "null", mcp::kInvalidRequest,
                  "Last-Event-ID is not the id of an event of this server");
  }
  const net::Request request = std::move(post.request);
  auto channel = ReplyChannel::make(std::move(post.responder));
  channel->wait();
  with_session(context, request, post.caller,
               [&context, channel, place](const std::shared_ptr<LegacySession>& session) {
                 if (session && !place) return session->open_stream(channel);
                 using Resumed = LegacySession::Resumed;
                 const Resumed resumed =
                     session ? session->resume(*place, channel) : Resumed::unknown;
                 if (resumed == Resumed::yes) return context.counters().streams_resumed.add();
                 context.counters().refused.add();
                 // Clients take 405 for "there is no stream here" and come back no more. An ended
                 // stream of events would be resumed again.
                 const int status = resumed == Resumed::over ? 405 : 404;
                 const std::string_view why = resumed == Resumed::over ? kStreamOver
                                              : session                ? kStreamForgotten
                                                                       : kNoSession;
                 channel->scheduler().post([channel, status, why] {
                   channel->finish(status, {}, mcp::rpc_error("null", mcp::kInvalidRequest, why));
                 });
               });
}

void serve_delete(McpHttpContext& context, Post post) {
  if (!post.request.headers.has(kSessionField)) {
    return refuse(context, std::move(post), 405, "null", mcp::kInvalidRequest,
                  "DELETE needs the header Mcp-Session-Id");
  }
  const net::Request request = std::move(post.request);
  auto channel = ReplyChannel::make(std::move(post.responder));
  channel->wait();
  with_session(
      context, request, post.caller, [channel](const std::shared_ptr<LegacySession>& session) {
        if (session) session->close("The agent ended its session.");
        channel->scheduler().post([channel, known = session != nullptr] {
          if (known) return channel->end(204);
          channel->finish(404, {}, mcp::rpc_error("null", mcp::kInvalidRequest, kNoSession));
        });
      });
}

void add_route(net::Router& router, McpHttpContext& context, std::string_view method,
               void (*serve)(McpHttpContext&, Post)) {
  const access::Row& row = access::row_of(method, kPath);
  access::add_route(
      router, row, std::string(kPath), context.verifier(),
      [&context, serve](net::Request request, net::Responder responder, auth::Identity caller) {
        Post post{std::move(request), std::move(responder), std::move(caller)};
        if (post.request.query_param("token")) {
          return refuse(context, std::move(post), 400, "null", mcp::kInvalidRequest,
                        "The token belongs in the header Authorization, not in the address.");
        }
        serve(context, std::move(post));
      },
      [&context](const core::Error& error, const net::Request& head) {
        return refusal(context, error, head);
      });
}

}  // namespace

void install(net::Router& router, McpHttpContext& context) {
  add_route(router, context, "POST", serve_post);
  add_route(router, context, "GET", serve_get);
  add_route(router, context, "DELETE", serve_delete);
}

}  // namespace parley::mcp_http
