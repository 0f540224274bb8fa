// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/string_map.h"
#include "sql/database.h"

namespace parley::front_end {

inline constexpr std::size_t kMaxAgentConfigBytes = 16U << 10U;
inline constexpr std::size_t kMaxAgentConfigs = 1'000;  // per owner
// The member of an agent's configuration that names a model.
inline constexpr std::string_view kModelMember = "llmModelIdentifier";

// The agents that are disabled for all users, and each owner's configuration of an agent: JSON text
// of an object. Calls that use SQLite must be made on the store's thread; enabled() and model_of()
// read from memory, on any thread.
class AgentSettings {
 public:
  explicit AgentSettings(sql::Database& database) : database_(database) {}

  // Call once, before anything else.
  core::Result<void> load();

  bool enabled(std::string_view agent) const;
  // The model that `owner` has chosen for this agent; empty: none.
  std::string model_of(std::string_view owner, std::string_view agent) const;

  core::Result<void> set_enabled(const std::string& agent, bool enabled);
  // Configurations, by agent. An agent without a configuration has no entry.
  core::Result<std::map<std::string, std::string>> configs(const std::string& owner);
  // Errors: `invalid_argument` (field "agentConfig"), `resource_exhausted` (kMaxAgentConfigs).
  core::Result<void> set_config(const std::string& owner, const std::string& agent,
                                const std::string& config);

  // The model that a configuration names; empty: none. Errors: `invalid_argument` (field
  // "agentConfig": too long, not a JSON object, or kModelMember is not a string). Any thread.
  static core::Result<std::string> model_in(std::string_view config);

 private:
  core::Result<void> check_room(const std::string& owner, const std::string& agent);
  void remember(const std::string& owner, const std::string& agent, std::string model);

  sql::Database& database_;
  mutable std::mutex mutex_;
  std::set<std::string, std::less<>> disabled_;
  core::StringMap<core::StringMap<std::string>> models_;  // by owner, by agent
};

}  // namespace parley::front_end
