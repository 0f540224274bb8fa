// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/setup/file_plan.h"
#include "agents/setup/mcp_entry.h"
#include "agents/setup/opencode_plugin.h"

namespace parley::setup {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

constexpr int kGateSeconds = 30;
constexpr int kNoticeSeconds = 5;
constexpr mode_t kProgramMode = 0700;
constexpr mode_t kTextMode = 0600;

using Words = std::vector<std::string>;

// The arguments of parley behind its name. `flags`: pairs of a flag and its value; those without a
// value are left out.
Words hook_arguments(const AgentFacts& agent, const Words& flags) {
  Words words{"hook", std::string(agent.word)};
  for (std::size_t i = 0; i + 1 < flags.size(); i += 2) {
    if (flags[i + 1].empty()) continue;
    words.push_back(flags[i]);
    words.push_back(flags[i + 1]);
  }
  return words;
}

Words gate_flags(const SetupOptions& options) {
  return {"--gate",     options.gate,    "--when-nobody", options.when_nobody,
          "--somebody", options.somebody};
}

std::string shell_command(const std::string& program, const Words& arguments) {
  std::string command = shell_word(program);
  for (const std::string& word : arguments) command += " " + shell_word(word);
  return command;
}

json::array array_of_words(const Words& words) { return json::array(words.begin(), words.end()); }

json::array list_of(json::object handler) {
  json::array list;
  list.emplace_back(std::move(handler));
  return list;
}

FilePlan json_file(const fs::path& path, const json::value& value, const char* title = "hooks") {
  return {path,
          kTextMode,
          {own_file_part(title, pretty_json_value(value, "", "  ", "\n") + "\n")},
          true};
}

std::string plugin_text(const std::string& program, const Words& arguments) {
  json::array command{json::value(program)};
  for (const std::string& word : arguments) command.emplace_back(word);
  std::string text(kOpencodePlugin);
  const std::size_t begin = text.find("const kCommand = ");
  const std::size_t end = text.find('\n', begin);
  text.replace(begin, end - begin, "const kCommand = " + json::serialize(command) + ";");
  return text;
}

json::value copilot_hooks(const AgentFacts& agent, const SetupOptions& options,
                          const std::string& program) {
  const auto handler = [&](const Words& flags, int seconds) {
    return json::object{{"type", "command"},
                        {"exec", program},
                        {"args", array_of_words(hook_arguments(agent, flags))},
                        {"timeoutSec", seconds}};
  };
  json::object asks = handler(gate_flags(options), kGateSeconds);
  std::string names = options.gate;
  std::replace(names.begin(), names.end(), ',', '|');
  asks["matcher"] = names;
  const int at_end = options.stop == "ask" ? kGateSeconds : kNoticeSeconds;
  json::object events;
  if (!options.gate.empty()) events["permissionRequest"] = list_of(std::move(asks));
  events["notification"] = list_of(handler({}, kNoticeSeconds));
  events["agentStop"] = list_of(handler({"--stop", options.stop}, at_end));
  return {{"version", 1}, {"hooks", std::move(events)}};
}

json::value vscode_hooks(const AgentFacts& agent, const SetupOptions& options,
                         const std::string& program) {
  const auto handler = [&](const Words& flags, int seconds) {
    return json::object{{"type", "command"},
                        {"command", shell_command(program, hook_arguments(agent, flags))},
                        {"timeout", seconds}};
  };
  json::object events;
  if (!options.gate.empty()) {
    events["PreToolUse"] = list_of(handler(gate_flags(options), kGateSeconds));
  }
  events["Stop"] = list_of(handler({"--stop", options.stop}, kNoticeSeconds));
  json::object whole;
  whole["hooks"] = std::move(events);
  return whole;
}

std::vector<FilePlan> goose_files(const fs::path& folder, const std::string& command) {
  json::object handler{{"type", "command"}, {"command", command}, {"timeout", kGateSeconds}};
  json::object group;
  group["hooks"] = list_of(std::move(handler));
  json::object events;
  events["Stop"] = list_of(std::move(group));
  json::object hooks;
  hooks["hooks"] = std::move(events);
  json::object manifest{
      {"name", "parley"},
      {"version", "1.0.0"},
      {"description", "Notices of ended turns in Parley's inbox, by parley hook"}};
  return {json_file(folder / "plugin.json", manifest, "plugin"),
          json_file(folder / "hooks/hooks.json", hooks)};
}

}  // namespace

std::vector<FilePlan> own_hook_files(const AgentFacts& agent, const SetupOptions& options,
                                     const SetupPlaces& places) {
  const std::string program = places.program.string();
  const fs::path file = places.home / agent.hook_file;
  const Words ending = hook_arguments(agent, {"--stop", options.stop});
  switch (agent.hooks) {
    case HookShape::opencode_file: {
      const Words words = hook_arguments(
          agent, {"--stop", options.stop, "--questions", options.questions, "--when-nobody",
                  options.when_nobody, "--somebody", options.somebody});
      return {{file, kTextMode, {own_file_part("plugin", plugin_text(program, words))}, true}};
    }
    case HookShape::copilot_file:
      return {json_file(file, copilot_hooks(agent, options, program))};
    case HookShape::vscode_file:
      return {json_file(file, vscode_hooks(agent, options, program))};
    case HookShape::goose_folder:
      return goose_files(file, shell_command(program, ending));
    case HookShape::cline_files: {
      const std::string script =
          "#!/bin/sh\n# Written by `parley setup`.\nexec " + shell_command(program, ending) + "\n";
      return {{file / "Notification", kProgramMode, {own_file_part("hook", script)}, true},
              {file / "TaskComplete", kProgramMode, {own_file_part("hook", script)}, true}};
    }
    default:
      return {};
  }
}

}  // namespace parley::setup
