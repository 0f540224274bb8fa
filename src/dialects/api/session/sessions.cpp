// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/core/json_writer.h"
#include "base/core/limits.h"
#include "dialects/api/handlers.h"

namespace parley::api {
namespace {

constexpr std::array<std::string_view, 4> kRoleNames = {"user", "agent", "host", "observer"};

void write_row(core::JsonWriter& json, const event::SessionRow& row) {
  json.key("id").string(row.id).key("dialect").string(row.dialect);
  json.key("title").string(row.title);
  json.key("created_at").number(core::to_unix_ms(row.created_at));
  json.key("first_seq").number(row.first_seq).key("last_seq").number(row.last_seq);
}

// The members that only the session's shard can supply.
std::string live_part(session::Session* session) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  std::size_t pending = 0;
  if (session != nullptr) {
    pending = session->pending().size();
    for (const session::Participant* participant : session->participants()) {
      const session::ParticipantInfo& info = participant->info();
      json.begin_object().key("client_id").string(info.client_id);
      json.key("nickname").string(info.nickname);
      json.key("role").string(kRoleNames.at(static_cast<std::size_t>(info.role)));
      json.key("dialect").string(info.dialect);
      json.key("connected_at").number(core::to_unix_ms(info.connected_at)).end_object();
    }
  }
  json.end_array();
  return "\"pending\":" + std::to_string(pending) + ",\"participants\":" + out + "}";
}

// The pages of people that are connected to a session: agents, runs and event streams are not.
std::size_t screens_of(const session::Session* session) {
  if (session == nullptr) return 0;
  const auto& all = session->participants();
  const auto is_screen = [session](const session::Participant* one) {
    return one->info().role == session::ParticipantRole::user &&
           one->info().dialect == session->dialect();
  };
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_screen));
}

// The answer of get_me() but for its last member.
std::string me_part(const Context& context, const auth::Identity& who) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("name").string(who.name);
  json.key("token_id").string(who.token_id);
  json.key("workspace").string(who.workspace);
  json.key("session").string(own_session_id(who));
  json.key("admin").boolean(who.rights.has(auth::Right::admin));
  json.key("rights").begin_array();
  for (const auth::Right right : auth::kAllRights) {
    if (who.rights.has(right)) json.string(auth::right_name(right));
  }
  json.end_array();
  json.key("expires_at");
  who.expires_at ? json.number(core::to_unix_ms(*who.expires_at)) : json.null();
  json.key("epoch").string(context.store.epoch());
  return out;
}

// Adds the pages of people that are connected.
void send_me(const Context& context, Call call, std::string body) {
  // Another node has the session, and its screens.
  if (!context.hub.check_home(call.identity.workspace)) {
    return send_json(call, 200, std::move(body) + ",\"screens\":null}");
  }
  const std::string id = own_session_id(call.identity);
  auto out = std::make_shared<std::string>(std::move(body));
  auto answer = std::make_shared<Call>(std::move(call));
  core::Scheduler& back = answer->responder.scheduler();
  context.hub.post_home(id, [&back, id, out, answer](session::Shard& shard) {
    *out += ",\"screens\":" + std::to_string(screens_of(shard.find(id))) + "}";
    back.post([out, answer] { send_json(*answer, 200, std::move(*out)); });
  });
}

}  // namespace

void get_me(const Context& context, Call call) {
  std::string body = me_part(context, call.identity);
  // The thread of the notifications may wait for the disk, so it is asked on demand alone.
  if (call.request.query_param("notified") != "true") {
    return send_me(context, std::move(call), std::move(body));
  }
  if (context.notify == nullptr) return send_me(context, std::move(call), body + ",\"notified\":0");
  std::string owner = call.identity.workspace;
  core::Scheduler& back = call.responder.scheduler();
  context.notify->reach(std::move(owner), back,
                        [&context, body = std::move(body),
                         call = std::move(call)](const core::Result<std::size_t>& places) mutable {
                          body += ",\"notified\":" + std::to_string(places.value_or(0));
                          send_me(context, std::move(call), std::move(body));
                        });
}

void list_sessions(const Context& context, Call call) {
  const auto limit = query_number(call.request, "limit", 100, 1, core::limits::kMaxPageEvents);
  if (!limit) return send_error(call, limit.error());
  core::Scheduler& scheduler = call.responder.scheduler();
  std::string owner = call.identity.workspace;
  context.store.sessions(
      std::move(owner), *limit, scheduler,
      [call = std::move(call)](core::Result<std::vector<event::SessionRow>> rows) mutable {
        if (!rows) return send_error(call, rows.error());
        send_object(call, 200, [&](core::JsonWriter& json) {
          json.key("sessions").objects(*rows, write_row);
        });
      });
}

void get_session(const Context& context, Call call) {
  std::string id(call.request.path_param("id"));
  with_owned_session(context, std::move(call), std::move(id),
                     [&context](Call found, event::SessionRow row) mutable {
                       if (const auto here = context.hub.check_home(row.owner); !here) {
                         return send_error(found, here.error());
                       }
                       std::string out;
                       core::JsonWriter json(out);
                       json.begin_object();
                       write_row(json, row);
                       core::Scheduler& back = found.responder.scheduler();
                       auto answer = std::make_shared<Call>(std::move(found));
                       context.hub.post_home(row.id, [&back, id = row.id, out = std::move(out),
                                                      answer](session::Shard& shard) mutable {
                         std::string text = std::move(out) + "," + live_part(shard.find(id));
                         back.post([answer = std::move(answer), text = std::move(text)]() mutable {
                           send_json(*answer, 200, std::move(text));
                         });
                       });
                     });
}

}  // namespace parley::api
