// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/json_writer.h"
#include "dialects/api/handlers.h"
#include "dialects/api/json_input.h"
#include "dialects/api/run/run_list.h"
#include "identity/access/authority.h"
#include "runtime/model/message_parts.h"
#include "runtime/run/run_index.h"

namespace parley::api {
namespace {

constexpr std::uint64_t kDefaultRuns = 50;

std::string id_of(const Call& call) { return std::string(call.request.path_param("id")); }

void write_info(core::JsonWriter& json, const run::CheckpointInfo& info) {
  json.key("id").string(info.id).key("run_id").string(info.run_id);
  json.key("event_id").number(info.seq).key("step").number(info.step);
  json.key("node").string(info.node).key("next").string(info.next);
  json.key("at").number(core::to_unix_ms(info.at));
}

// Sends a run with this status, or the error.
run::RunService::Done<run::Run> send_run(Call call, int status) {
  return [call = std::move(call), status](core::Result<run::Run> run) mutable {
    if (!run) return send_error(call, run.error());
    send_object(call, status, [&](core::JsonWriter& json) { write_run(json, *run); });
  };
}

run::RunLeave leave_of(const auth::Identity& identity) {
  return {identity.rights.has(auth::Right::run_auto), identity.rights.has(auth::Right::admin)};
}

core::Result<run::RunRequest> read_request(const Call& call) {
  run::RunRequest request;
  request.owner = call.identity.workspace;
  request.leave = leave_of(call.identity);
  std::string approve;
  core::Result<model::Message> message = model::Message();
  const auto read = read_object(call.request.body, [&](ObjectReader& body) {
    body.any("message",
             [&](simdjson::dom::element value) { message = model::user_message_from(value); });
    body.text("agent", request.agent);
    body.text("model", request.model);
    body.text("session_id", request.session);
    body.text("run_id", request.run_id);
    body.text("working_folder", request.working_folder);
    body.text("approve", approve);
    body.boolean("values", request.values_each_node);
    body.boolean("dry", request.dry);
    body.finish();
  });
  if (!read) return core::fail(read.error());
  if (!message) return core::fail(message.error());
  request.message = std::move(*message);
  if (!approve.empty()) {
    request.approvals = tool::approval_from_name(approve);
    if (!request.approvals) {
      return core::fail(core::Code::invalid_argument, "\"approve\" must be auto, ask or deny.",
                        "approve");
    }
  }
  return request;
}

}  // namespace

void write_run(core::JsonWriter& json, const run::Run& run) {
  json.key("id").string(run.id).key("session_id").string(run.session);
  json.key("agent").string(run.agent).key("kind").string(run.kind).key("model").string(run.model);
  json.key("message").string(run.message).key("working_folder").string(run.working_folder);
  json.key("state").string(run::state_name(run.state));
  json.key("started_at").number(core::to_unix_ms(run.started_at)).key("ended_at");
  run.ended_at ? json.number(core::to_unix_ms(*run.ended_at)) : json.null();
  json.key("first_event").number(run.first_seq).key("last_event").number(run.last_seq);
  json.key("steps").number(run.steps);
  if (run.ended_at) json.key("reply").string(run.reply);
  if (!run.error.empty()) json.key("error").string(run.error);
  if (run.usage) {
    json.key("usage").begin_object().key("prompt_tokens").number(run.usage->prompt_tokens);
    json.key("completion_tokens").number(run.usage->completion_tokens);
    json.key("total_tokens").number(run.usage->total_tokens).end_object();
  }
  if (run.dry) json.key("dry").boolean(true);
  if (!run.forked_from.empty()) json.key("forked_from").string(run.forked_from);
}

void list_runs(const Context& context, Call call) {
  if (context.run_changes != nullptr && call.request.headers.lists("Accept", "text/event-stream")) {
    std::string session = call.request.query_param("session").value_or("");
    return stream_run_list(context, std::move(call), std::move(session));
  }
  run::RunQuery query;
  query.owner = call.identity.workspace;
  query.session = call.request.query_param("session").value_or("");
  query.before = call.request.query_param("before").value_or("");
  const std::string state = call.request.query_param("state").value_or("");
  query.state = run::state_from_name(state);
  if (!state.empty() && !query.state) {
    return send_error(call, {core::Code::invalid_argument,
                             "\"state\" must be running, waiting, finished, failed, cancelled or "
                             "interrupted.",
                             "state"});
  }
  const auto limit = query_number(call.request, "limit", kDefaultRuns, 1, run::kMaxRunsPage);
  if (!limit) return send_error(call, limit.error());
  query.limit = *limit;
  core::Scheduler& scheduler = call.responder.scheduler();
  context.runs->list(std::move(query), scheduler,
                     [call = std::move(call)](core::Result<run::RunPage> page) mutable {
                       if (!page) return send_error(call, page.error());
                       send_object(call, 200, [&](core::JsonWriter& json) {
                         json.key("runs").objects(page->runs, write_run);
                         json.key("more").boolean(page->more);
                       });
                     });
}

void start_run(const Context& context, Call call) {
  auto request = read_request(call);
  if (!request) return send_error(call, request.error());
  core::Scheduler& scheduler = call.responder.scheduler();
  context.runs->start(std::move(*request), scheduler, send_run(std::move(call), 201));
}

void get_run(const Context& context, Call call) {
  core::Scheduler& scheduler = call.responder.scheduler();
  std::string owner = call.identity.workspace;
  std::string id = id_of(call);
  context.runs->find(std::move(owner), std::move(id), scheduler, send_run(std::move(call), 200));
}

void cancel_run(const Context& context, Call call) {
  core::Scheduler& scheduler = call.responder.scheduler();
  std::string owner = call.identity.workspace;
  std::string id = id_of(call);
  context.runs->cancel(std::move(owner), std::move(id), scheduler, send_run(std::move(call), 200));
}

void resume_run(const Context& context, Call call) {
  run::ResumeRequest request;
  request.owner = call.identity.workspace;
  request.leave = leave_of(call.identity);
  request.run_id = id_of(call);
  std::string model;
  const auto read = read_object(call.request.body, [&](ObjectReader& body) {
    body.text("model", model);
    body.finish();
  });
  if (!read) return send_error(call, read.error());
  if (!model.empty()) request.model = std::move(model);
  core::Scheduler& scheduler = call.responder.scheduler();
  context.runs->resume(std::move(request), scheduler, send_run(std::move(call), 200));
}

void fork_run(const Context& context, Call call) {
  run::ForkRequest request;
  request.owner = call.identity.workspace;
  request.leave = leave_of(call.identity);
  request.run_id = id_of(call);
  std::string model;
  std::string message;
  const auto read = read_object(call.request.body, [&](ObjectReader& body) {
    body.text("checkpoint_id", request.checkpoint_id, ObjectReader::Need::required);
    body.text("session_id", request.session);
    body.text("message", message);
    body.text("model", model);
    body.finish();
  });
  if (!read) return send_error(call, read.error());
  if (!model.empty()) request.model = std::move(model);
  if (!message.empty()) request.message = std::move(message);
  core::Scheduler& scheduler = call.responder.scheduler();
  context.runs->fork(std::move(request), scheduler, send_run(std::move(call), 201));
}

void answer_approval(const Context& context, Call call) {
  std::string call_id;
  run::RunService::ApprovalAnswer answer{{access::authority_of(call.identity),
                                          {call.identity.name, call.identity.name},
                                          session::Channel::api}};
  bool replied = false;
  const auto read = read_object(call.request.body, [&](ObjectReader& body) {
    body.text("call_id", call_id, ObjectReader::Need::required);
    replied = body.has("allow");
    body.boolean("allow", answer.allow);
    body.text("reason", answer.reason);
    body.finish();
  });
  if (!read) return send_error(call, read.error());
  if (!replied) {
    return send_error(call, {core::Code::invalid_argument,
                             "\"allow\" is missing; it must be true or false.", "allow"});
  }
  core::Scheduler& scheduler = call.responder.scheduler();
  std::string owner = call.identity.workspace;
  std::string id = id_of(call);
  context.runs->approve(std::move(owner), std::move(id), std::move(call_id), std::move(answer),
                        scheduler, [call = std::move(call)](core::Result<bool> won) mutable {
                          if (!won) return send_error(call, won.error());
                          send_json(call, 200, *won ? R"({"won":true})" : R"({"won":false})");
                        });
}

void list_checkpoints(const Context& context, Call call) {
  core::Scheduler& scheduler = call.responder.scheduler();
  std::string owner = call.identity.workspace;
  std::string id = id_of(call);
  context.runs->checkpoints(
      std::move(owner), std::move(id), scheduler,
      [call = std::move(call)](core::Result<std::vector<run::CheckpointInfo>> all) mutable {
        if (!all) return send_error(call, all.error());
        send_object(call, 200, [&](core::JsonWriter& json) {
          json.key("checkpoints").objects(*all, write_info);
        });
      });
}

void get_checkpoint(const Context& context, Call call) {
  core::Scheduler& scheduler = call.responder.scheduler();
  std::string owner = call.identity.workspace;
  std::string id = id_of(call);
  std::string checkpoint(call.request.path_param("checkpoint"));
  context.runs->checkpoint(
      std::move(owner), std::move(id), std::move(checkpoint), scheduler,
      [call = std::move(call)](core::Result<run::CheckpointState> found) mutable {
        if (!found) return send_error(call, found.error());
        send_object(call, 200, [&](core::JsonWriter& json) {
          write_info(json, found->info);
          json.key("state").raw(found->state);
        });
      });
}

}  // namespace parley::api
