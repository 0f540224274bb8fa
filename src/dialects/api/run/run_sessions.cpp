// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Conversations with agents: the runs of one session.
#include "base/core/json_writer.h"
#include "dialects/api/handlers.h"
#include "runtime/run/run_index.h"

namespace parley::api {
namespace {

constexpr std::uint64_t kDefaultSessions = 50;

std::string session_id_of(const Call& call) { return std::string(call.request.path_param("id")); }

void write_session(core::JsonWriter& json, const run::RunSession& session) {
  json.key("session_id").string(session.id).key("runs").number(session.runs);
  json.key("checkpoint_count").number(session.checkpoints);
  json.key("created_at").number(core::to_unix_ms(session.created_at));
  json.key("last_updated").number(core::to_unix_ms(session.last_updated));
  json.key("latest_step").number(session.latest_step);
  json.key("latest_source");
  session.latest_source.empty() ? json.null() : json.string(session.latest_source);
}

void send_session(Call& call, const run::RunSession& session, std::size_t messages) {
  send_object(call, 200, [&](core::JsonWriter& json) {
    write_session(json, session);
    json.key("message_count").number(static_cast<std::uint64_t>(messages));
    json.key("first_user_message").string(session.first_user_message);
    json.key("last_assistant_reply").string(session.last_reply);
  });
}

}  // namespace

void list_run_sessions(const Context& context, Call call) {
  const auto limit =
      query_number(call.request, "limit", kDefaultSessions, 1, run::kMaxSessionsPage);
  if (!limit) return send_error(call, limit.error());
  run::RunSessionQuery query;
  query.owner = call.identity.workspace;
  query.before = call.request.query_param("before").value_or("");
  query.limit = *limit;
  core::Scheduler& scheduler = call.responder.scheduler();
  context.runs->sessions(std::move(query), scheduler,
                         [call = std::move(call)](core::Result<run::RunSessionPage> page) mutable {
                           if (!page) return send_error(call, page.error());
                           send_object(call, 200, [&](core::JsonWriter& json) {
                             json.key("sessions").objects(page->sessions, write_session);
                             json.key("more").boolean(page->more);
                           });
                         });
}

void get_run_session(const Context& context, Call call) {
  core::Scheduler& scheduler = call.responder.scheduler();
  std::string owner = call.identity.workspace;
  std::string id = session_id_of(call);
  context.runs->session(
      owner, id, scheduler,
      [&context, owner, id, call = std::move(call)](core::Result<run::RunSession> found) mutable {
        if (!found) return send_error(call, found.error());
        core::Scheduler& back = call.responder.scheduler();
        context.runs->messages(
            std::move(owner), std::move(id), back,
            [call = std::move(call), session = std::move(*found)](
                const core::Result<std::vector<model::Message>>& messages) mutable {
              if (!messages) return send_error(call, messages.error());
              send_session(call, session, messages->size());
            });
      });
}

void delete_run_session(const Context& context, Call call) {
  core::Scheduler& scheduler = call.responder.scheduler();
  std::string owner = call.identity.workspace;
  std::string id = session_id_of(call);
  context.runs->remove_session(
      std::move(owner), id, scheduler,
      [id, call = std::move(call)](const core::Result<std::uint64_t>& count) mutable {
        if (!count) return send_error(call, count.error());
        send_object(call, 200, [&](core::JsonWriter& json) {
          json.key("session_id").string(id);
          json.key("deleted_checkpoints").number(*count);
        });
      });
}

}  // namespace parley::api
