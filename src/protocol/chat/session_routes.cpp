// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The chat sessions as front ends ask for them, in their wrapper (contract of the chat, section
// 1.2): numbers of 64 bits are strings, and most errors have status 200.
#include <simdjson.h>

#include <array>
#include <ctime>
#include <utility>

#include "access/entrance.h"
#include "core/json_member.h"
#include "core/json_writer.h"
#include "protocol/chat/routes.h"

namespace parley::chat {
namespace {

using core::Code;
using core::Result;

constexpr int kOk = 200;
constexpr std::string_view kDone = "操作成功";

// `data`: JSON text.
net::Response wrapped(int status, int code, std::string_view message, std::string_view data,
                      core::WallTime at) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("code").number(code).key("message").string(message);
  json.key("data").raw(data).key("traceId").null();
  json.key("timestamp").string(std::to_string(core::to_unix_ms(at))).end_object();
  return net::Response::json(status, std::move(out));
}

int status_of(Code code) {
  switch (code) {
    case Code::unauthenticated:
      return 401;
    case Code::permission_denied:
      return 403;
    case Code::invalid_argument:
      return 400;
    default:
      return 200;
  }
}

net::Response refusal(const core::Error& error) {
  const int status = status_of(error.code);
  return wrapped(status, status == 200 ? 500 : status, error.message, "null",
                 std::chrono::floor<core::Millis>(std::chrono::system_clock::now()));
}

std::string date(std::int64_t ms) {
  const std::time_t seconds = ms / 1'000;
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  std::array<char, 20> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &utc);
  return {text.data(), size};
}

void write(core::JsonWriter& json, const ChatSession& session) {
  json.begin_object().key("id").string(std::to_string(session.id));
  json.key("createTime").string(date(session.created_at_ms));
  json.key("updateTime").string(date(session.updated_at_ms));
  json.key("sessionCode").string(session.code).key("userId").string(session.owner);
  json.key("comfyuiServerId").null().key("title").string(session.title);
  json.key("rules").string(session.rules).key("status").string("ACTIVE").end_object();
}

// One request; answers once.
struct Call {
  net::Responder responder;

  core::Scheduler& scheduler() { return responder.scheduler(); }
  void data(std::string_view json) {
    const core::WallTime now = scheduler().clock().wall();
    responder.send(wrapped(kOk, kOk, kDone, json, now));
  }
  void text(std::string_view value) {
    std::string json;
    core::append_json_string(json, value);
    data(json);
  }
  void session(const Result<ChatSession>& session) {
    if (!session) return refuse(session.error());
    std::string out;
    core::JsonWriter json(out);
    write(json, *session);
    data(out);
  }
  void refuse(const core::Error& error) { responder.send(refusal(error)); }
};

struct Input {
  std::optional<std::string> title;
  std::optional<std::string> rules;
};

// What a route is asked, apart from the way to answer it.
struct Asked {
  std::string owner;  // id of the token
  std::string code;   // of the path
  std::string body;
};

// Other members are taken and ignored: front ends send more than Parley has.
Result<Input> read_input(const std::string& body) {
  Input out;
  if (body.empty()) return out;
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(body).get(object) != simdjson::SUCCESS) {
    return core::fail(Code::invalid_argument, "The body must be a JSON object.", "body");
  }
  for (const auto& [name, to] : {std::pair{"title", &out.title}, {"rules", &out.rules}}) {
    simdjson::dom::element value;
    if (object[name].get(value) != simdjson::SUCCESS || value.is_null()) continue;
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) {
      return core::fail(Code::invalid_argument, "\"" + std::string(name) + "\" must be a string.",
                        name);
    }
    *to = std::string(text);
  }
  return out;
}

void create_session(ChatContext& context, const Asked& asked, Call call) {
  Result<Input> input = read_input(asked.body);
  if (!input) return call.refuse(input.error());
  core::Scheduler& home = call.scheduler();
  context.sessions.create(asked.owner, input->title.value_or(""), input->rules.value_or(""), home,
                          [call = std::move(call)](const Result<ChatSession>& made) mutable {
                            if (!made) return call.refuse(made.error());
                            call.text(made->code);
                          });
}

void list_sessions(ChatContext& context, const Asked& asked, Call call) {
  core::Scheduler& home = call.scheduler();
  context.sessions.list(
      asked.owner, home,
      [call = std::move(call)](const Result<std::vector<ChatSession>>& all) mutable {
        if (!all) return call.refuse(all.error());
        std::string out;
        core::JsonWriter json(out);
        json.begin_array();
        for (const ChatSession& session : *all) write(json, session);
        json.end_array();
        call.data(out);
      });
}

void get_session(ChatContext& context, const Asked& asked, Call call) {
  core::Scheduler& home = call.scheduler();
  context.sessions.find(
      asked.owner, asked.code, home,
      [call = std::move(call)](const Result<ChatSession>& found) mutable { call.session(found); });
}

void update_session(ChatContext& context, const Asked& asked, Call call) {
  Result<Input> input = read_input(asked.body);
  if (!input) return call.refuse(input.error());
  core::Scheduler& home = call.scheduler();
  context.sessions.update(asked.owner, asked.code, std::move(input->title), std::move(input->rules),
                          home, [call = std::move(call)](const Result<ChatSession>& now) mutable {
                            if (!now) return call.refuse(now.error());
                            call.text(now->code);
                          });
}

// Its runs and their events first: what is left can be deleted again.
void delete_session(ChatContext& context, const Asked& asked, Call call) {
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

}  // namespace

void install_sessions(net::Router& router, ChatContext& context) {
  using Handle = void (*)(ChatContext&, const Asked&, Call);
  struct Route {
    const char* method;
    const char* pattern;
    Handle handle;
  };
  static constexpr Route kRoutes[] = {
      {"POST", "/api/v1/sessions", create_session},
      {"GET", "/api/v1/sessions", list_sessions},
      {"GET", "/api/v1/sessions/{sessionCode}", get_session},
      {"PUT", "/api/v1/sessions/{sessionCode}", update_session},
      {"DELETE", "/api/v1/sessions/{sessionCode}", delete_session},
  };
  for (const Route& route : kRoutes) {
    access::add_route(
        router, access::row_of(route.method, route.pattern), route.pattern, context.verifier,
        [&context, handle = route.handle](net::Request request, net::Responder responder,
                                          auth::Identity identity) {
          const Asked asked{std::move(identity.token_id),
                            std::string(request.path_param("sessionCode")),
                            std::move(request.body)};
          handle(context, asked, {std::move(responder)});
        },
        refusal);
  }
}

}  // namespace parley::chat
