// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Routes of chat sessions, for front ends, in their wrapper.
#include <utility>

#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "dialects/chat/message_list.h"
#include "dialects/chat/routes.h"
#include "dialects/chat/wrapper.h"
#include "identity/access/entrance.h"

namespace parley::chat {
namespace {

using core::Code;
using core::Result;

void write(core::JsonWriter& json, const ChatSession& session) {
  json.begin_object().key("id").string(std::to_string(session.id));
  json.key("createTime").string(date_text(session.created_at_ms));
  json.key("updateTime").string(date_text(session.updated_at_ms));
  json.key("sessionCode").string(session.code).key("userId").string(session.owner);
  json.key("comfyuiServerId");
  session.comfyui_server.empty() ? json.null() : json.string(session.comfyui_server);
  json.key("title").string(session.title);
  json.key("rules").string(session.rules).key("status").string("ACTIVE").end_object();
}

void answer(WrappedResponder& call, const Result<ChatSession>& session) {
  if (!session) return call.refuse(session.error());
  std::string out;
  core::JsonWriter json(out);
  write(json, *session);
  call.data(out);
}

// The content of a request, without its responder.
struct Asked {
  std::string owner;   // id of the token
  std::string code;    // in the path
  std::string server;  // in the query
  std::string tool;    // in the path
  std::string source;  // in the query
  std::string body;
};

// A session may name a ComfyUI server that exists and is enabled.
Result<void> check_server(const ChatContext& context, const std::optional<std::string>& id) {
  if (!id || id->empty()) return {};
  const comfyui::ServerPtr server =
      context.comfyui == nullptr ? nullptr : context.comfyui->servers.find(*id);
  if (server != nullptr && server->enabled) return {};
  return core::fail(Code::invalid_argument,
                    "\"comfyuiServerId\" is not the id of an enabled ComfyUI server.",
                    "comfyuiServerId");
}

// Front ends send the id of a server as a string or as a number.
Result<std::optional<std::string>> server_id(const WrappedBody& body) {
  const auto value = body.member("comfyuiServerId");
  if (!value || !value->is_int64()) return body.text("comfyuiServerId");
  return std::to_string(value->get_int64().value());
}

Result<ChatSessionDraft> read_draft(const ChatContext& context, const std::string& body) {
  ChatSessionDraft out;
  const WrappedBody in(body);
  for (const auto& [name, to] : {std::pair{"title", &out.title}, {"rules", &out.rules}}) {
    PARLEY_TRY(std::optional<std::string> text, in.text(name));
    *to = std::move(text);
  }
  PARLEY_TRY(std::optional<std::string> id, server_id(in));
  out.comfyui_server = std::move(id);
  PARLEY_TRY_VOID(check_server(context, out.comfyui_server));
  return out;
}

void create_session(ChatContext& context, const Asked& asked, WrappedResponder call) {
  Result<ChatSessionDraft> draft = read_draft(context, asked.body);
  if (!draft) return call.refuse(draft.error());
  core::Scheduler& home = call.scheduler();
  context.sessions.create(asked.owner, std::move(*draft), home,
                          [call = std::move(call)](const Result<ChatSession>& created) mutable {
                            if (!created) return call.refuse(created.error());
                            call.text(created->code);
                          });
}

// If `server` is not empty, lists only the sessions of that ComfyUI server.
void list_sessions(ChatContext& context, const Asked& asked, WrappedResponder call) {
  core::Scheduler& home = call.scheduler();
  context.sessions.list(asked.owner, home,
                        [call = std::move(call), server = asked.server](
                            const Result<std::vector<ChatSession>>& all) mutable {
                          if (!all) return call.refuse(all.error());
                          std::string out;
                          core::JsonWriter json(out);
                          json.begin_array();
                          for (const ChatSession& session : *all) {
                            if (server.empty() || session.comfyui_server == server)
                              write(json, session);
                          }
                          json.end_array();
                          call.data(out);
                        });
}

void get_session(ChatContext& context, const Asked& asked, WrappedResponder call) {
  core::Scheduler& home = call.scheduler();
  context.sessions.find(
      asked.owner, asked.code, home,
      [call = std::move(call)](const Result<ChatSession>& found) mutable { answer(call, found); });
}

void update_session(ChatContext& context, const Asked& asked, WrappedResponder call) {
  Result<ChatSessionDraft> draft = read_draft(context, asked.body);
  if (!draft) return call.refuse(draft.error());
  core::Scheduler& home = call.scheduler();
  context.sessions.update(asked.owner, asked.code, std::move(*draft), home,
                          [call = std::move(call)](const Result<ChatSession>& now) mutable {
                            if (!now) return call.refuse(now.error());
                            call.text(now->code);
                          });
}

// Deletes runs and events first: if that fails, the session remains and can be deleted again.
void delete_session(ChatContext& context, const Asked& asked, WrappedResponder call) {
  // The caller may also own sessions of other dialects that have runs; these are not chat sessions.
  if (!context.sessions.owns(asked.owner, asked.code)) {
    return call.refuse({Code::not_found, "There is no such chat session.", "sessionCode"});
  }
  core::Scheduler& home = call.scheduler();
  context.runs.remove_session(
      asked.owner, asked.code, home,
      [&context, &home, asked, call = std::move(call)](const Result<std::uint64_t>& gone) mutable {
        if (!gone && gone.error().code != Code::not_found) return call.refuse(gone.error());
        context.sessions.remove(asked.owner, asked.code, home,
                                [call = std::move(call)](const Result<void>& done) mutable {
                                  if (!done) return call.refuse(done.error());
                                  call.data("null");
                                });
      });
}

void get_messages(ChatContext& context, const Asked& asked, WrappedResponder call) {
  const auto slot = std::make_shared<AnswerSlot>(context.open_lists, kMaxMessageLists);
  if (!slot->taken()) {
    return call.refuse(
        {Code::resource_exhausted, "Too many messages are being listed. Try again later.", {}});
  }
  core::Scheduler& home = call.scheduler();
  context.sessions.find(
      asked.owner, asked.code, home,
      [&context, &home, slot, owner = asked.owner,
       call = std::move(call)](const Result<ChatSession>& found) mutable {
        if (!found) return call.refuse(found.error());
        list_messages(context.store, context.runs, std::move(owner), found->code, home,
                      [slot, call = std::move(call)](const Result<std::string>& list) mutable {
                        if (!list) return call.refuse(list.error());
                        call.data(*list);
                      });
      });
}

void list_allowed(ChatContext& context, const Asked& asked, WrappedResponder call) {
  core::Scheduler& home = call.scheduler();
  context.sessions.list_allowed(
      asked.owner, home,
      [call = std::move(call)](const Result<std::vector<AllowedTool>>& all) mutable {
        if (!all) return call.refuse(all.error());
        std::string out;
        core::JsonWriter json(out);
        json.begin_array();
        for (const AllowedTool& tool : *all) {
          json.begin_object().key("toolName").string(tool.tool.name);
          json.key("source").string(tool.tool.source);
          json.key("sessionCode");
          if (tool.session.empty()) {
            json.null();
          } else {
            json.string(tool.session);
          }
          json.end_object();
        }
        json.end_array();
        call.data(out);
      });
}

// Revokes the permission of a tool. Without a sessionCode in the query: that for all sessions.
// Without a source: that for every source.
void take_back(ChatContext& context, const Asked& asked, WrappedResponder call) {
  core::Scheduler& home = call.scheduler();
  context.sessions.disallow(asked.owner, {{asked.tool, asked.source}, asked.code}, home,
                            [call = std::move(call)](const Result<void>& done) mutable {
                              if (!done) return call.refuse(done.error());
                              call.data("null");
                            });
}

}  // namespace

void install_sessions(net::Router& router, ChatContext& context) {
  using Handle = void (*)(ChatContext&, const Asked&, WrappedResponder);
  struct Route {
    const char* method;
    const char* pattern;
    Handle handle;
  };
  static constexpr Route kRoutes[] = {
      {"POST", "/api/v1/sessions", create_session},
      {"GET", "/api/v1/sessions", list_sessions},
      {"GET", "/api/v1/sessions/active", list_sessions},
      {"GET", "/api/v1/sessions/{sessionCode}", get_session},
      {"GET", "/api/v1/sessions/{sessionCode}/messages", get_messages},
      {"PUT", "/api/v1/sessions/{sessionCode}", update_session},
      {"DELETE", "/api/v1/sessions/{sessionCode}", delete_session},
      {"GET", "/api/v1/allowed-tools", list_allowed},
      {"DELETE", "/api/v1/allowed-tools/{toolName}", take_back},
  };
  for (const Route& route : kRoutes) {
    access::add_route(
        router, access::row_of(route.method, route.pattern), route.pattern, context.verifier,
        [&context, handle = route.handle](net::Request request, net::Responder responder,
                                          auth::Identity identity) {
          Asked asked{std::move(identity.workspace),
                      std::string(request.path_param("sessionCode")),
                      request.query_param("comfyuiServerId").value_or(""),
                      std::string(request.path_param("toolName")),
                      request.query_param("source").value_or(""),
                      {}};
          if (asked.code.empty()) asked.code = request.query_param("sessionCode").value_or("");
          asked.body = std::move(request.body);
          handle(context, asked, {std::move(responder)});
        },
        wrapped_refusal);
  }
}

}  // namespace parley::chat
