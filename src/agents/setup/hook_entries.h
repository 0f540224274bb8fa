// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "agents/setup/agent_table.h"
#include "agents/setup/json_document.h"
#include "agents/setup/setup_options.h"
#include "base/core/result.h"

namespace parley::setup {

// One entry for `hooks.EVENT`.
struct WantedHook {
  std::string event;
  std::string matcher;      // empty: none
  std::string command;      // for a shell
  int timeout = 0;          // in the agent's unit
  bool background = false;  // the agent does not wait for it
};

// The hooks of an agent that lists them in a settings file. `program`: path of parley, or its name.
std::vector<WantedHook> wanted_hooks(const AgentFacts& agent, const SetupOptions& options,
                                     const std::string& program);

// The entry in the agent's form.
boost::json::object hook_entry(HookShape shape, const WantedHook& hook);

// Makes the hooks of parley in the file those that are wanted: equal ones stay as they are, new
// ones are added at the end of their lists, others of parley are taken out. Foreign ones keep their
// bytes. Errors: those of JsonDocument.
core::Result<void> install_hooks(JsonDocument& document, HookShape shape,
                                 const std::vector<WantedHook>& wanted);

// Takes out the hooks of parley.
core::Result<void> remove_hooks(JsonDocument& document);

// Takes out those of `made` that are empty, innermost first.
core::Result<void> remove_empty(JsonDocument& document, const std::vector<JsonPath>& created);

// The names of events for which other programs have hooks in the file.
std::vector<std::string> foreign_hooks(const JsonDocument& document);

}  // namespace parley::setup
