// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Workflows with their content and versions (contract of the chat, section 1.3).
#include <memory>
#include <utility>

#include "base/core/contain.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "dialects/chat/front_end_call.h"

namespace parley::chat {
namespace {

using core::Code;
using core::Result;
using front_end::SavedVersion;
using front_end::SavedWorkflow;
using front_end::WorkflowContent;
using Tables = front_end::FrontEndStore::Tables;

void text_or_null(core::JsonWriter& json, const std::optional<std::string>& text) {
  if (text) {
    json.string(*text);
  } else {
    json.null();
  }
}
std::optional<std::string> if_any(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

void write_workflow(core::JsonWriter& json, const SavedWorkflow& workflow) {
  json.begin_object().key("id").string(std::to_string(workflow.id));
  json.key("createTime").string(date_text(workflow.created_at_ms));
  json.key("updateTime").string(date_text(workflow.updated_at_ms));
  json.key("workflowName").string(workflow.name).key("description").string(workflow.description);
  json.key("comfyuiServerId");
  text_or_null(json, if_any(workflow.server));
  json.key("comfyuiServerKey").null().key("activeContent");
  text_or_null(json, workflow.content);
  json.key("activeContentHash");
  text_or_null(json, if_any(workflow.hash));
  json.key("thumbnailUrl").null().key("lockedByMessageId").null().key("lockedAt").null();
  json.end_object();
}

void write_version(core::JsonWriter& json, const SavedVersion& version) {
  json.begin_object().key("id").string(std::to_string(version.id));
  json.key("createTime").string(date_text(version.created_at_ms));
  json.key("updateTime").string(date_text(version.created_at_ms));
  json.key("workflowId").string(std::to_string(version.workflow));
  json.key("versionCode").string(front_end::version_code(version.number));
  json.key("fromVersionCode");
  text_or_null(json,
               version.from ? std::optional(front_end::version_code(*version.from)) : std::nullopt);
  json.key("content");
  text_or_null(json, version.content);
  json.key("contentHash").string(version.hash);
  json.key("changeSummary").string(version.summary).key("sessionId");
  text_or_null(json, if_any(version.session));
  json.end_object();
}

template <typename T, typename Write>
Result<std::string> json_of(const Result<T>& value, Write write) {
  if (!value) return core::fail(value.error());
  std::string out;
  core::JsonWriter json(out);
  write(json, *value);
  return out;
}

template <typename T, typename Write>
Result<std::string> json_of_all(const Result<std::vector<T>>& values, Write write) {
  return json_of(values, [&write](core::JsonWriter& json, const std::vector<T>& all) {
    json.begin_array();
    for (const T& each : all) write(json, each);
    json.end_array();
  });
}

std::int64_t id_of(const net::Request& request) { return id_from(request.path_param("id")); }

Result<front_end::WorkflowChange> read_change(const net::Request& request) {
  const WrappedBody body(request.body);
  PARLEY_TRY(std::optional<std::string> name, body.text("workflowName"));
  PARLEY_TRY(std::optional<std::string> description, body.text("description"));
  PARLEY_TRY(std::optional<std::string> server, id_member(body, "comfyuiServerId"));
  return front_end::WorkflowChange{std::move(name), std::move(description), std::move(server)};
}

Result<std::string> list_workflows(const Tables& tables, const std::string& owner,
                                   const net::Request& request) {
  return json_of_all(tables.workflows.list(owner, request.query_param("comfyuiServerId")),
                     write_workflow);
}

Result<std::string> add_workflow(const Tables& tables, const std::string& owner,
                                 const net::Request& request) {
  PARLEY_TRY(const auto change, read_change(request));
  return json_of(tables.workflows.add(owner, change), write_workflow);
}

Result<std::string> get_workflow(const Tables& tables, const std::string& owner,
                                 const net::Request& request) {
  return json_of(tables.workflows.find(owner, id_of(request)), write_workflow);
}

Result<std::string> change_workflow(const Tables& tables, const std::string& owner,
                                    const net::Request& request) {
  PARLEY_TRY(const auto change, read_change(request));
  return json_of(tables.workflows.change(owner, id_of(request), change), write_workflow);
}

Result<std::string> remove_workflow(const Tables& tables, const std::string& owner,
                                    const net::Request& request) {
  PARLEY_TRY_VOID(tables.workflows.remove(owner, id_of(request)));
  return "null";
}

Result<std::string> get_content(const Tables& tables, const std::string& owner,
                                const net::Request& request) {
  return json_of(tables.workflows.find(owner, id_of(request)),
                 [](core::JsonWriter& json, const SavedWorkflow& workflow) {
                   text_or_null(json, workflow.content);
                 });
}

Result<std::string> list_versions(const Tables& tables, const std::string& owner,
                                  const net::Request& request) {
  return json_of_all(tables.workflows.versions(owner, id_of(request)), write_version);
}

Result<std::string> get_version(const Tables& tables, const std::string& owner,
                                const net::Request& request) {
  const auto number = front_end::version_number(request.path_param("versionCode"));
  return json_of(tables.workflows.version(owner, id_of(request), number.value_or(0)),
                 write_version);
}

// --- content; checked on a worker of the pool ---------------------------------------------------

using ContentUse = Result<std::string> (*)(const Tables& tables, const std::string& owner,
                                           std::int64_t id, const front_end::NewVersion& content);

Result<front_end::NewVersion> read_version(const std::string& text) {
  const WrappedBody body(text);
  PARLEY_TRY(std::string content, body.required("content"));
  front_end::NewVersion out;
  for (const auto& [name, to] :
       {std::pair{"changeSummary", &out.summary}, {"sessionId", &out.session}}) {
    PARLEY_TRY(std::optional<std::string> member, id_member(body, name));
    *to = std::move(member).value_or("");
  }
  PARLEY_TRY(const std::optional<std::string> from, body.text("fromVersionCode"));
  // No version has the number 0.
  if (from) out.from = front_end::version_number(*from).value_or(0);
  PARLEY_TRY(WorkflowContent checked, front_end::check_workflow(std::move(content)));
  out.content = std::move(checked);
  return out;
}

void with_content(ChatContext& context, FrontEndCall call, ContentUse use) {
  if (!may_store(context, call)) return;
  core::Scheduler& home = call.scheduler();
  const auto shared_call = std::make_shared<FrontEndCall>(std::move(call));
  const bool taken = context.workers.post([&context, &home, shared_call, use] {
    auto read = core::contain("workflow", [&] { return read_version(shared_call->request.body); });
    shared_call->request.body = {};
    home.post([&context, &home, shared_call, use, read = std::move(read)]() mutable {
      if (!read) return shared_call->answer.refuse(read.error());
      const std::size_t bytes = read->content.text.size();
      context.front_end->run<std::string>(
          home, bytes,
          [owner = shared_call->owner, id = id_of(shared_call->request), use,
           content = std::move(*read)](const Tables& tables) {
            return use(tables, owner, id, content);
          },
          send_data(std::move(shared_call->answer)));
    });
  });
  if (!taken) {
    shared_call->answer.refuse({Code::resource_exhausted,
                                "Too many workflows are waiting to be checked. Try again later.",
                                ""});
  }
}

void set_content(ChatContext& context, FrontEndCall call) {
  with_content(context, std::move(call),
               [](const Tables& tables, const std::string& owner, std::int64_t id,
                  const front_end::NewVersion& change) {
                 return json_of(tables.workflows.set_content(owner, id, change.content),
                                write_workflow);
               });
}

void add_version(ChatContext& context, FrontEndCall call) {
  with_content(context, std::move(call),
               [](const Tables& tables, const std::string& owner, std::int64_t id,
                  const front_end::NewVersion& change) {
                 return json_of(tables.workflows.add_version(owner, id, change), write_version);
               });
}

}  // namespace

void install_workflows(net::Router& router, ChatContext& context) {
  constexpr std::string_view kAll = "/api/v1/workflows";
  constexpr std::string_view kOne = "/api/v1/workflows/{id}";
  constexpr std::string_view kContent = "/api/v1/workflows/{id}/content";
  constexpr std::string_view kVersions = "/api/v1/workflows/{id}/versions";
  add_store_route(router, context, "GET", kAll, list_workflows);
  add_store_route(router, context, "POST", kAll, add_workflow);
  add_store_route(router, context, "GET", kOne, get_workflow);
  add_store_route(router, context, "PUT", kOne, change_workflow);
  add_store_route(router, context, "DELETE", kOne, remove_workflow);
  add_store_route(router, context, "GET", kContent, get_content);
  add_route(router, context, "POST", kContent, set_content);
  add_store_route(router, context, "GET", kVersions, list_versions);
  add_route(router, context, "POST", kVersions, add_version);
  add_store_route(router, context, "GET", "/api/v1/workflows/{id}/versions/{versionCode}",
                  get_version);
}

}  // namespace parley::chat
