// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/front_end/agent_settings.h"

#include <simdjson.h>

#include <utility>

#include "base/core/result.h"

namespace parley::front_end {
namespace {

using core::Code;
using core::Result;
using sql::Statement;

constexpr const char* kField = "agentConfig";

class SqlAgentSettings final : public AgentSettings {
 public:
  explicit SqlAgentSettings(sql::Database& database) : database_(database) {}

  Result<void> load() {
    Result<void> done =
        database_.each("SELECT agent FROM disabled_agents",
                       [this](const Statement& row) { disabled_.emplace(row.text(0)); });
    if (!done) return done;
    return database_.each(
        "SELECT owner, agent, config FROM agent_configs", [this](const Statement& row) {
          remember(row.string(0), row.string(1), model_in(row.text(2)).value_or(""));
        });
  }

  bool enabled(std::string_view agent) const override {
    const std::scoped_lock lock(mutex_);
    return disabled_.find(agent) == disabled_.end();
  }

  std::string model_of(std::string_view owner, std::string_view agent) const override {
    const std::scoped_lock lock(mutex_);
    const auto agents = models_.find(owner);
    if (agents == models_.end()) return {};
    const auto found = agents->second.find(agent);
    return found == agents->second.end() ? std::string() : found->second;
  }

  Result<void> set_enabled(const std::string& agent, bool enabled) override {
    Result<void> done = database_.run(
        enabled ? "DELETE FROM disabled_agents WHERE agent = ?1"
                : "INSERT INTO disabled_agents (agent) VALUES (?1) ON CONFLICT (agent) DO NOTHING",
        agent);
    if (!done) return done;
    const std::scoped_lock lock(mutex_);
    if (enabled) {
      disabled_.erase(agent);
    } else {
      disabled_.insert(agent);
    }
    return {};
  }

  Result<std::map<std::string, std::string>> configs(const std::string& owner) override {
    std::map<std::string, std::string> out;
    Result<void> done = database_.each(
        "SELECT agent, config FROM agent_configs WHERE owner = ?1",
        [&out](const Statement& row) { out.emplace(row.text(0), row.text(1)); }, owner);
    if (!done) return core::fail(std::move(done.error()));
    return out;
  }

  Result<void> set_config(const std::string& owner, const std::string& agent,
                          const std::string& config) override {
    PARLEY_TRY(std::string model, model_in(config));
    PARLEY_TRY_VOID(check_room(owner, agent));
    Result<void> done = database_.run(
        "INSERT INTO agent_configs (owner, agent, config) VALUES (?1, ?2, ?3)"
        " ON CONFLICT (owner, agent) DO UPDATE SET config = excluded.config",
        owner, agent, config);
    if (!done) return done;
    remember(owner, agent, std::move(model));
    return {};
  }

 private:
  // Does not count the configuration of `agent`, which is replaced.
  Result<void> check_room(const std::string& owner, const std::string& agent) {
    PARLEY_TRY(
        const std::uint64_t others,
        database_.count("SELECT count(*) FROM agent_configs WHERE owner = ?1 AND agent <> ?2",
                        owner, agent));
    if (others < kMaxAgentConfigs) return {};
    return core::fail(Code::resource_exhausted, "The limit of " + std::to_string(kMaxAgentConfigs) +
                                                    " agent configurations is reached.");
  }

  void remember(const std::string& owner, const std::string& agent, std::string model) {
    const std::scoped_lock lock(mutex_);
    models_[owner][agent] = std::move(model);
  }

  sql::Database& database_;
  mutable std::mutex mutex_;
  std::set<std::string, std::less<>> disabled_;
  core::StringMap<core::StringMap<std::string>> models_;  // by owner, by agent
};

}  // namespace

Result<std::unique_ptr<AgentSettings>> AgentSettings::open(sql::Database& database) {
  auto settings = std::make_unique<SqlAgentSettings>(database);
  PARLEY_TRY_VOID(settings->load());
  return settings;
}

Result<std::string> AgentSettings::model_in(std::string_view config) {
  if (config.size() > kMaxAgentConfigBytes) {
    return core::fail(
        Code::invalid_argument,
        "\"agentConfig\" may have at most " + std::to_string(kMaxAgentConfigBytes) + " bytes.",
        kField);
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

}  // namespace parley::front_end
