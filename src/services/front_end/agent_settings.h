// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/string_map.h"
#include "base/sql/database.h"

namespace parley::front_end {

// Limit (Chats): an agent's configuration. Reached: error in the wrapper.
inline constexpr std::size_t kMaxAgentConfigBytes = 16U << 10U;
// Limit (Chats): agents' configurations of a token. Reached: error in the wrapper.
inline constexpr std::size_t kMaxAgentConfigs = 1'000;  // per owner
// The member of an agent's configuration that names a model.
inline constexpr std::string_view kModelMember = "llmModelIdentifier";

// The agents that are disabled for all users, and each owner's configuration of an agent: JSON text
// of an object. Calls that use SQLite must be made on the store's thread; enabled() and model_of()
// read from memory, on any thread.
class AgentSettings {
 public:
  // Reads the settings. The database outlives the object.
  static core::Result<std::unique_ptr<AgentSettings>> open(sql::Database& database);
  virtual bool enabled(std::string_view agent) const = 0;
  // The model that `owner` has chosen for this agent; empty: none.
  virtual std::string model_of(std::string_view owner, std::string_view agent) const = 0;

  virtual core::Result<void> set_enabled(const std::string& agent, bool enabled) = 0;
  // Configurations, by agent. An agent without a configuration has no entry.
  virtual core::Result<std::map<std::string, std::string>> configs(const std::string& owner) = 0;
  // Errors: `invalid_argument` (field "agentConfig"), `resource_exhausted` (kMaxAgentConfigs).
  virtual core::Result<void> set_config(const std::string& owner, const std::string& agent,
                                        const std::string& config) = 0;

  // The model that a configuration names; empty: none. Errors: `invalid_argument` (field
  // "agentConfig": too long, not a JSON object, or kModelMember is not a string). Any thread.
  static core::Result<std::string> model_in(std::string_view config);
  virtual ~AgentSettings() = default;
};

}  // namespace parley::front_end
