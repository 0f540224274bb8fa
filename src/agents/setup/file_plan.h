// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/setup/agent_table.h"
#include "agents/setup/hook_entries.h"
#include "agents/setup/setup_options.h"
#include "agents/setup/setup_store.h"
#include "base/core/result.h"

// The edits of files that a setup wants, as functions over their texts. No input or output.
namespace parley::setup {

enum class PartKind : std::uint8_t { mcp, hooks };

struct EditedText {
  std::string text;
  std::vector<JsonPath> created;
};

// One thing of parley in a file. The errors of both functions are refusals: `failed_precondition`,
// or `invalid_argument` for a file that is not valid.
struct FilePart {
  PartKind kind = PartKind::mcp;
  std::string title;  // "MCP entry"
  std::function<core::Result<EditedText>(std::string_view text)> install;
  std::function<core::Result<std::string>(std::string_view text, const SetupNote& note)> remove;
  std::string snippet;       // to be added by hand
  bool is_own_file = false;  // the whole file is parley's
};

struct FilePlan {
  std::filesystem::path path;
  mode_t fresh_mode = 0600;
  std::vector<FilePart> parts;
  // Nothing else of parley is in the file, so that a removal may restore the bytes before.
  bool is_complete = true;
  JsonForm form = JsonForm::tolerant;  // that the agent reads
  std::string reader = "The agent";    // its title
};

// `entry`: that of mcp_entry().
FilePart mcp_json_part(JsonPath outer, boost::json::object entry, bool force);
FilePart mcp_toml_part(const AgentFacts& agent, const std::string& program, bool force);
FilePart mcp_yaml_part(const AgentFacts& agent, const std::string& program, bool force);
FilePart hooks_part(HookShape shape, std::vector<WantedHook> wanted);
// A member that is set to a text, and taken out if a setup has made it.
FilePart member_part(JsonPath path, std::string value);
// An element of a list, whose place in it has no meaning. A removal takes it out by its value.
FilePart element_part(std::string title, JsonPath list, std::string value);
// A file that is parley's as a whole.
FilePart own_file_part(std::string title, std::string content);

// The files of agents whose hooks are files of their own.
std::vector<FilePlan> own_hook_files(const AgentFacts& agent, const SetupOptions& options,
                                     const SetupPlaces& places);

}  // namespace parley::setup
