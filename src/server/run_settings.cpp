// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The rows of the table that belong to runs of agents.
#include <utility>

#include "server/settings_rows.h"

namespace parley::app {

namespace {

using Type = SettingType;

// What runs may use up, and where.
std::vector<Setting> extent_settings() {
  return {
      {"runs.working_folder",
       Type::path,
       "",
       0,
       0,
       {},
       "The folder of runs that name none; their tools stay inside it. Empty: the one in which the "
       "server was started.",
       [](Settings& s, const SettingValue& v) { s.run_folder = text_of(v); }},
      {"runs.folders",
       Type::names,
       "",
       0,
       0,
       {},
       "The folders in which runs may work, beside runs.working_folder, with all that is below. A "
       "token with the right admin may name any folder.",
       [](Settings& s, const SettingValue& v) {
         s.runs.folders = std::get<std::vector<std::string>>(v);
       }},
      {"runs.live",
       Type::integer,
       "10000",
       1,
       1'000'000,
       {},
       "Runs at once; more are refused.",
       [](Settings& s, const SettingValue& v) { s.runs.max_live = size_of(v); }},
      {"runs.live_per_token",
       Type::integer,
       "4000",
       1,
       1'000'000,
       {},
       "Runs of one token at once; more are refused.",
       [](Settings& s, const SettingValue& v) { s.runs.max_live_of_owner = size_of(v); }},
      {"runs.message_bytes",
       Type::bytes,
       "1MiB",
       kKiB,
       16 * kMiB,
       {},
       "The longest message that starts a run.",
       [](Settings& s, const SettingValue& v) { s.runs.max_message_bytes = size_of(v); }},
      {"runs.tool_output_bytes",
       Type::bytes,
       "4GiB",
       16 * kMiB,
       1LL << 40,
       {},
       "What tool results that are too long for a model, kept in files, may have together. The "
       "oldest go first.",
       [](Settings& s, const SettingValue& v) { s.kept_results.all_bytes = size_of(v); }},
  };
}

// What runs may reach, and on whose word.
std::vector<Setting> trust_settings() {
  return {
      {"runs.mcp_config",
       Type::path,
       "",
       0,
       0,
       {},
       "A file with the MCP servers whose tools runs may call. Empty: .loom/mcp.json of the home "
       "directory, if it is there.",
       [](Settings& s, const SettingValue& v) { s.mcp_config = text_of(v); }},
      {"runs.folder_mcp",
       Type::boolean,
       "false",
       0,
       0,
       {},
       "Read .loom/mcp.json of a run's working folder too, before that of the home directory. What "
       "it names is started: only where every working folder is yours.",
       [](Settings& s, const SettingValue& v) { s.folder_mcp = std::get<bool>(v); }},
      {"runs.folder_approvals",
       Type::boolean,
       "false",
       0,
       0,
       {},
       "Let profiles in .loom/agents of a run's working folder approve tools by themselves. "
       "Without it they only make approvals stricter: only where every working folder is yours.",
       [](Settings& s, const SettingValue& v) {
         s.runs.folder_approvals =
             std::get<bool>(v) ? agent::FolderApprovals::trusted : agent::FolderApprovals::tighten;
       }},
      {"runs.fetch_private",
       Type::boolean,
       "false",
       0,
       0,
       {},
       "Let the tool web_fetcher reach private and loopback addresses.",
       [](Settings& s, const SettingValue& v) { s.fetch_private = std::get<bool>(v); }},
      {"runs.environment",
       Type::names,
       "",
       0,
       0,
       {},
       "Names of variables of the server's environment that commands and MCP servers get beside "
       "the usual ones (PATH, HOME, LANG and the like). Everything else stays with the server.",
       [](Settings& s, const SettingValue& v) {
         s.child_environment = std::get<std::vector<std::string>>(v);
       }},
  };
}

}  // namespace

std::vector<Setting> run_settings() {
  std::vector<Setting> all = extent_settings();
  for (Setting& setting : trust_settings()) all.push_back(std::move(setting));
  return all;
}

}  // namespace parley::app
