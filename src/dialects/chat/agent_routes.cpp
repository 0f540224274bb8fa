// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Agents as front ends list, disable and configure them (contract of the chat, section 1.3).
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "dialects/chat/front_end_call.h"
#include "runtime/agent/profile.h"
#include "services/front_end/digest.h"

namespace parley::chat {
namespace {

using core::Code;
using core::Result;
using front_end::AgentSettings;
using Tables = front_end::FrontEndStore::Tables;

constexpr std::string_view kAgentVersion = "1.0.0";
constexpr std::string_view kFormType = "application/x-www-form-urlencoded";

struct Agent {
  std::string code;
  std::string name;
  std::string description;
};

using AgentUse = absl::AnyInvocable<void(const std::vector<Agent>& agents, FrontEndCall call)>;

// Calls `use` with the front ends' own agent first, then the profiles of the server's folder.
void with_agents(ChatContext& context, FrontEndCall call, AgentUse use) {
  core::Scheduler& home = call.scheduler();
  context.runs.profiles({}, home,
                        [call = std::move(call),
                         use = std::move(use)](const Result<agent::Profiles>& profiles) mutable {
                          if (!profiles) return call.answer.refuse(profiles.error());
                          std::vector<Agent> out = {{std::string(kFrontEndAgent), "Workflow chat",
                                                     "Chats, and works with workflows and tools."}};
                          for (const agent::Profile& profile : profiles->all()) {
                            if (profile.name == kFrontEndAgent) continue;
                            out.push_back({profile.name, profile.name, profile.description});
                          }
                          use(out, std::move(call));
                        });
}

// The only parameter of an agent that its user chooses.
void write_definitions(core::JsonWriter& json) {
  json.begin_array().begin_object();
  json.key("name").string(front_end::kModelMember).key("label").string("Language model");
  json.key("description").string("The model of the runs that your messages begin.");
  json.key("type").string("MODEL").key("modelCallingType").string("api_llm");
  // Front ends hide a parameter without `userOverride`, and read `require`.
  json.key("userOverride").boolean(true).key("require").boolean(false);
  json.key("required").boolean(false).key("defaultValue").null().end_object().end_array();
}

enum class AgentForm : std::uint8_t { runtime, whole };

void write_agent(core::JsonWriter& json, const Agent& agent, bool enabled, AgentForm form) {
  json.begin_object().key("id").string(front_end::number_of_name(agent.code));
  json.key("createTime").null().key("updateTime").null();
  json.key("agentCode").string(agent.code).key("agentName").string(agent.name);
  json.key("description").string(agent.description).key("version").string(kAgentVersion);
  json.key("agentConfigDefinitions");
  write_definitions(json);
  if (form == AgentForm::whole) {
    json.key("agentScopeConfig").begin_object().end_object();
    json.key("config").begin_object().end_object();
    json.key("status").string(enabled ? "ENABLED" : "DISABLED");
  }
  json.end_object();
}

std::string config_json(std::string_view code, std::string_view config) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("agentCode").string(code);
  json.key("agentConfig").string(config).end_object();
  return out;
}

const Agent* find_agent(const std::vector<Agent>& agents, std::string_view id) {
  const auto found = std::find_if(agents.begin(), agents.end(), [&](const Agent& agent) {
    return front_end::number_of_name(agent.code) == id;
  });
  return found == agents.end() ? nullptr : &*found;
}

const Agent* find_code(const std::vector<Agent>& agents, std::string_view code) {
  const auto found = std::find_if(agents.begin(), agents.end(),
                                  [&](const Agent& agent) { return agent.code == code; });
  return found == agents.end() ? nullptr : &*found;
}

void refuse_agent(FrontEndCall& call, const char* field) {
  call.answer.refuse({Code::not_found, "There is no such agent.", field});
}

void answer_agents(ChatContext& context, FrontEndCall call, AgentForm form) {
  with_agents(context, std::move(call),
              [&context, form](const std::vector<Agent>& agents, FrontEndCall from) {
                std::string out;
                core::JsonWriter json(out);
                json.begin_array();
                for (const Agent& agent : agents) {
                  const bool enabled = context.front_end->agents().enabled(agent.code);
                  if (enabled || form == AgentForm::whole) write_agent(json, agent, enabled, form);
                }
                json.end_array();
                from.answer.data(out);
              });
}

void list_agents(ChatContext& context, FrontEndCall call) {
  answer_agents(context, std::move(call), AgentForm::whole);
}
void list_enabled_agents(ChatContext& context, FrontEndCall call) {
  answer_agents(context, std::move(call), AgentForm::runtime);
}

void get_agent(ChatContext& context, FrontEndCall call) {
  with_agents(context, std::move(call),
              [&context](const std::vector<Agent>& agents, FrontEndCall from) {
                const Agent* agent = find_agent(agents, from.request.path_param("id"));
                if (agent == nullptr) return refuse_agent(from, "id");
                std::string out;
                core::JsonWriter json(out);
                write_agent(json, *agent, context.front_end->agents().enabled(agent->code),
                            AgentForm::whole);
                from.answer.data(out);
              });
}

void get_enabled_agent(ChatContext& context, FrontEndCall call) {
  with_agents(context, std::move(call),
              [&context](const std::vector<Agent>& agents, FrontEndCall from) {
                const Agent* agent = find_code(agents, from.request.path_param("agentCode"));
                if (agent == nullptr || !context.front_end->agents().enabled(agent->code)) {
                  return refuse_agent(from, "agentCode");
                }
                std::string out;
                core::JsonWriter json(out);
                write_agent(json, *agent, true, AgentForm::runtime);
                from.answer.data(out);
              });
}

void set_agent_enabled(ChatContext& context, FrontEndCall call, bool enabled) {
  with_agents(context, std::move(call),
              [&context, enabled](const std::vector<Agent>& agents, FrontEndCall from) {
                const Agent* agent = find_agent(agents, from.request.path_param("id"));
                if (agent == nullptr) return refuse_agent(from, "id");
                core::Scheduler& home = from.scheduler();
                context.front_end->run<std::string>(
                    home, 0,
                    [agent = *agent, enabled](const Tables& tables) -> Result<std::string> {
                      PARLEY_TRY_VOID(tables.agents.set_enabled(agent.code, enabled));
                      std::string out;
                      core::JsonWriter json(out);
                      write_agent(json, agent, enabled, AgentForm::whole);
                      return out;
                    },
                    send_data(std::move(from.answer)));
              });
}

void enable_agent(ChatContext& context, FrontEndCall call) {
  set_agent_enabled(context, std::move(call), true);
}
void disable_agent(ChatContext& context, FrontEndCall call) {
  set_agent_enabled(context, std::move(call), false);
}

// Front ends choose the first agent whose configuration is not blank; "{}" is not blank.
std::string configs_json(const std::vector<std::string>& codes,
                         const std::map<std::string, std::string>& configs) {
  std::string out = "[";
  for (const std::string& code : codes) {
    const auto found = configs.find(code);
    if (out.size() > 1) out += ",";
    out += config_json(code, found == configs.end() ? "{}" : found->second);
  }
  return out + "]";
}

void get_agent_configs(ChatContext& context, FrontEndCall call) {
  with_agents(context, std::move(call),
              [&context](const std::vector<Agent>& agents, FrontEndCall from) {
                std::vector<std::string> codes;
                for (const Agent& agent : agents) {
                  if (context.front_end->agents().enabled(agent.code)) codes.push_back(agent.code);
                }
                core::Scheduler& home = from.scheduler();
                context.front_end->run<std::string>(
                    home, 0,
                    [codes = std::move(codes),
                     owner = from.owner](const Tables& tables) -> Result<std::string> {
                      PARLEY_TRY(const auto configs, tables.agents.configs(owner));
                      return configs_json(codes, configs);
                    },
                    send_data(std::move(from.answer)));
              });
}

// A parameter of the query or of a form.
Result<std::string> parameter(const net::Request& request, const char* name) {
  std::optional<std::string> value = request.query_param(name);
  if (!value && request.headers.get("Content-Type").starts_with(kFormType)) {
    net::Request form;
    form.query = request.body;
    value = form.query_param(name);
  }
  if (value) return std::move(*value);
  return core::fail(Code::invalid_argument, "\"" + std::string(name) + "\" is missing.", name);
}

// Checks that the model exists now. A model that is removed later makes the run fail.
Result<void> check_model(ChatContext& context, const std::string& config) {
  PARLEY_TRY(const std::string model, AgentSettings::model_in(config));
  if (model.empty()) return {};
  if (const auto found = context.runs.models().find(model); !found) {
    return core::fail(Code::invalid_argument, found.error().message, "agentConfig");
  }
  return {};
}

void set_agent_config(ChatContext& context, FrontEndCall call) {
  Result<std::string> code = parameter(call.request, "agentCode");
  if (!code) return call.answer.refuse(code.error());
  Result<std::string> config = parameter(call.request, "agentConfig");
  if (!config) return call.answer.refuse(config.error());
  if (const Result<void> good = check_model(context, *config); !good) {
    return call.answer.refuse(good.error());
  }
  with_agents(
      context, std::move(call),
      [&context, code = std::move(*code), config = std::move(*config)](
          const std::vector<Agent>& agents, FrontEndCall from) {
        if (find_code(agents, code) == nullptr) return refuse_agent(from, "agentCode");
        core::Scheduler& home = from.scheduler();
        context.front_end->run<std::string>(
            home, config.size(),
            [owner = from.owner, code, config](const Tables& tables) -> Result<std::string> {
              PARLEY_TRY_VOID(tables.agents.set_config(owner, code, config));
              return config_json(code, config);
            },
            send_data(std::move(from.answer)));
      });
}

}  // namespace

void install_agents(net::Router& router, ChatContext& context) {
  add_route(router, context, "GET", "/api/v1/agents", list_agents);
  add_route(router, context, "GET", "/api/v1/agents/{id}", get_agent);
  add_route(router, context, "POST", "/api/v1/agents/{id}/enable", enable_agent);
  add_route(router, context, "POST", "/api/v1/agents/{id}/disable", disable_agent);
  add_route(router, context, "GET", "/api/v1/agents/runtime/enabled", list_enabled_agents);
  add_route(router, context, "GET", "/api/v1/agents/runtime/code/{agentCode}", get_enabled_agent);
  add_route(router, context, "GET", "/api/v1/agents/runtime/getUserAgentConfigs",
            get_agent_configs);
  add_route(router, context, "POST", "/api/v1/agents/runtime/updateUserAgentConfig",
            set_agent_config);
}

}  // namespace parley::chat
