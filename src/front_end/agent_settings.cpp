// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "front_end/agent_settings.h"

#include <simdjson.h>

#include <utility>

namespace parley::front_end {
namespace {

using core::Code;
using core::Result;
using sql::Statement;

constexpr const char* kField = "agentConfig";

}  // namespace

Result<std::string> AgentSettings::model_in(std::string_view config) {
  if (config.size() > kMaxAgentConfigBytes) {
    return core::fail(
        Code::invalid_argument,
        "\"agentConfig\" has at most " + std::to_string(kMaxAgentConfigBytes) + " bytes.", kField);
  }
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(simdjson::padded_string(config)).get(object) != simdjson::SUCCESS) {
    return core::fail(Code::invalid_argument, "\"agentConfig\" must be the text of a JSON object.",
                      kField);
  }
  simdjson::dom::element value;
  if (object[kModelMember].get(value) != simdjson::SUCCESS || value.is_null()) {
    return std::string();
  }
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) {
    return core::fail(Code::invalid_argument,
                      "\"" + std::string(kModelMember) + "\" in \"agentConfig\" must be a string.",
                      kField);
  }
  return std::string(text);
}

Result<void> AgentSettings::load() {
  Result<Statement> off = database_.prepare("SELECT agent FROM disabled_agents");
  if (!off) return core::fail(off.error());
  while (true) {
    const Result<bool> row = off->step();
    if (!row) return core::fail(row.error());
    if (!*row) break;
    disabled_.emplace(off->text(0));
  }
  Result<Statement> query = database_.prepare("SELECT owner, agent, config FROM agent_configs");
  if (!query) return core::fail(query.error());
  while (true) {
    const Result<bool> row = query->step();
    if (!row) return core::fail(row.error());
    if (!*row) return {};
    remember(std::string(query->text(0)), std::string(query->text(1)),
             model_in(query->text(2)).value_or(""));
  }
}

bool AgentSettings::enabled(std::string_view agent) const {
  const std::scoped_lock lock(mutex_);
  return disabled_.find(agent) == disabled_.end();
}

std::string AgentSettings::model_of(std::string_view owner, std::string_view agent) const {
  const std::scoped_lock lock(mutex_);
  const auto agents = models_.find(owner);
  if (agents == models_.end()) return {};
  const auto found = agents->second.find(agent);
  return found == agents->second.end() ? std::string() : found->second;
}

Result<void> AgentSettings::set_enabled(const std::string& agent, bool enabled) {
  Result<Statement> change =
      database_.prepare(enabled ? "DELETE FROM disabled_agents WHERE agent = ?1"
                                : "INSERT OR IGNORE INTO disabled_agents (agent) VALUES (?1)");
  if (!change) return core::fail(change.error());
  if (Result<void> done = change->bind(1, agent).run(); !done) return done;
  const std::scoped_lock lock(mutex_);
  if (enabled) {
    disabled_.erase(agent);
  } else {
    disabled_.insert(agent);
  }
  return {};
}

Result<std::map<std::string, std::string>> AgentSettings::configs(const std::string& owner) {
  Result<Statement> query =
      database_.prepare("SELECT agent, config FROM agent_configs WHERE owner = ?1");
  if (!query) return core::fail(query.error());
  query->bind(1, owner);
  std::map<std::string, std::string> out;
  while (true) {
    const Result<bool> row = query->step();
    if (!row) return core::fail(row.error());
    if (!*row) return out;
    out.emplace(query->text(0), query->text(1));
  }
}

// Not counted: the configuration of `agent`, which would be replaced.
Result<void> AgentSettings::check_room(const std::string& owner, const std::string& agent) {
  Result<Statement> count =
      database_.prepare("SELECT count(*) FROM agent_configs WHERE owner = ?1 AND agent <> ?2");
  if (!count) return core::fail(count.error());
  const Result<bool> row = count->bind(1, owner).bind(2, agent).step();
  if (!row) return core::fail(row.error());
  if (count->number(0) < kMaxAgentConfigs) return {};
  return core::fail(Code::resource_exhausted, "There are " + std::to_string(kMaxAgentConfigs) +
                                                  " configurations of agents, which is the most.");
}

Result<void> AgentSettings::set_config(const std::string& owner, const std::string& agent,
                                       const std::string& config) {
  Result<std::string> model = model_in(config);
  if (!model) return core::fail(model.error());
  if (Result<void> room = check_room(owner, agent); !room) return room;
  Result<Statement> insert = database_.prepare(
      "INSERT OR REPLACE INTO agent_configs (owner, agent, config) VALUES (?1, ?2, ?3)");
  if (!insert) return core::fail(insert.error());
  if (Result<void> done = insert->bind(1, owner).bind(2, agent).bind(3, config).run(); !done) {
    return done;
  }
  remember(owner, agent, std::move(*model));
  return {};
}

void AgentSettings::remember(const std::string& owner, const std::string& agent,
                             std::string model) {
  const std::scoped_lock lock(mutex_);
  models_[owner][agent] = std::move(model);
}

}  // namespace parley::front_end
