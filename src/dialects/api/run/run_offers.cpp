// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Lists the models, agents and tools that a run can use.
#include "base/core/json_writer.h"
#include "dialects/api/handlers.h"
#include "runtime/agent/agent_graph.h"

namespace parley::api {
namespace {

run::FolderRequest folder_of(const Call& call) {
  return {call.request.query_param("working_folder").value_or(""),
          call.identity.rights.has(auth::Right::admin)};
}

// Calls `answer` with the profiles of the folder that the call names.
void with_profiles(const Context& context, Call call,
                   void (*answer)(Call& call, const agent::Profiles& profiles)) {
  core::Scheduler& scheduler = call.responder.scheduler();
  run::FolderRequest folder = folder_of(call);
  context.runs->profiles(
      std::move(folder), scheduler,
      [call = std::move(call), answer](const core::Result<agent::Profiles>& profiles) mutable {
        if (!profiles) return send_error(call, profiles.error());
        answer(call, *profiles);
      });
}

}  // namespace

void list_models(const Context& context, Call call) {
  core::Scheduler& scheduler = call.responder.scheduler();
  context.runs->models().list(scheduler, [&context, call = std::move(call)](
                                             model::ModelRegistry::Listing listing) mutable {
    std::string out;
    core::JsonWriter json(out);
    json.begin_object().key("models").begin_array();
    for (const model::ModelInfo& model : listing.models) {
      json.begin_object().key("id").string(model.id).key("name").string(model.name);
      json.key("provider").string(model.provider);
      json.key("context_tokens").number(model.context_tokens);
      json.key("demonstration").boolean(model.demonstration).end_object();
    }
    json.end_array().key("failures").begin_array();
    for (const auto& [provider, error] : listing.failures) {
      json.begin_object().key("provider").string(provider).key("error").string(error).end_object();
    }
    json.end_array().key("default").string(context.runs->models().default_id()).end_object();
    send_json(call, 200, std::move(out));
  });
}

void list_agents(const Context& context, Call call) {
  with_profiles(context, std::move(call), [](Call& from, const agent::Profiles& profiles) {
    std::string out;
    core::JsonWriter json(out);
    json.begin_object().key("agents").begin_array();
    for (const agent::Profile& profile : profiles.all()) {
      json.begin_object().key("name").string(profile.name);
      json.key("description").string(profile.description);
      json.key("source").string(profile.source).key("kind").string(profile.kind).end_object();
    }
    json.end_array().key("problems").strings(profiles.problems());
    json.key("kinds").begin_array();
    for (const agent::Kind kind : agent::kKinds) {
      json.begin_object().key("name").string(agent::kind_name(kind));
      json.key("description").string(agent::kind_description(kind)).end_object();
    }
    json.end_array().end_object();
    send_json(from, 200, std::move(out));
  });
}

void show_agent_graph(const Context& context, Call call) {
  with_profiles(context, std::move(call), [](Call& from, const agent::Profiles& profiles) {
    const core::Result<agent::Profile> profile = profiles.find(from.request.path_param("name"));
    if (!profile) return send_error(from, profile.error());
    const auto kind = agent::kind_from_name(profile->kind);
    if (!kind) {
      return send_error(from,
                        core::Error{core::Code::invalid_argument,
                                    "There is no agent kind \"" + profile->kind + "\".", "name"});
    }
    const core::Result<agent::GraphText> graph = agent::graph_text(*kind);
    if (!graph) return send_error(from, graph.error());
    std::string out;
    core::JsonWriter json(out);
    json.begin_object().key("name").string(profile->name);
    json.key("kind").string(profile->kind).key("dot").string(graph->dot);
    json.key("mermaid").string(graph->mermaid).end_object();
    send_json(from, 200, std::move(out));
  });
}

void list_tools(const Context& context, Call call) {
  core::Scheduler& scheduler = call.responder.scheduler();
  run::FolderRequest folder = folder_of(call);
  context.runs->tools(
      std::move(folder), scheduler,
      [call = std::move(call)](const core::Result<tool::Toolbox>& tools) mutable {
        if (!tools) return send_error(call, tools.error());
        std::string out;
        core::JsonWriter json(out);
        json.begin_object().key("tools").begin_array();
        for (const tool::ToolPtr& tool : tools->all()) {
          const model::ToolSpec& spec = tool->spec();
          json.begin_object().key("name").string(spec.name);
          json.key("description").string(spec.description);
          json.key("input_schema").raw(spec.parameters);
          json.key("source").string(tool->source());
          json.key("approval").string(tool::approval_name(tool->default_approval()));
          if (const auto by_call = tool->approval_by_call()) {
            json.key("approval_by_call").begin_object();
            json.key("up_to").string(tool::approval_name(by_call->up_to));
            json.key("when").string(by_call->when).end_object();
          }
          json.end_object();
        }
        json.end_array().end_object();
        send_json(call, 200, std::move(out));
      });
}

}  // namespace parley::api
