// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/hook_entries.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <utility>

#include "agents/setup/mcp_entry.h"
#include "base/core/result.h"

namespace parley::setup {
namespace {

namespace json = boost::json;

constexpr int kDay = 86'400;  // the wait of the hook and a minute
constexpr int kSerial = 600;  // the same for agents whose prompt waits for the hook
constexpr int kAtOnce = 5;    // hooks that only tell something
constexpr int kGate = 30;     // of agents whose default it is
constexpr int kMinute = 60;
constexpr int kMs = 1'000;

// The place of a handler of parley in a file.
struct FoundHook {
  std::size_t entry = 0;    // index in the list of the event
  std::size_t handler = 0;  // index in the entry's own list
  bool in_group = false;
  bool is_alone = true;  // no other handlers in the group
};

std::vector<FoundHook> ours_in(const json::value* list) {
  std::vector<FoundHook> found;
  if (list == nullptr || !list->is_array()) return found;
  const json::array& entries = list->get_array();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const json::object* entry = entries[i].if_object();
    if (entry == nullptr) continue;
    if (is_our_hook(*entry)) found.push_back({i, 0, false, true});
    const json::value* inner = entry->if_contains("hooks");
    if (inner == nullptr || !inner->is_array()) continue;
    const json::array& handlers = inner->get_array();
    for (std::size_t k = 0; k < handlers.size(); ++k) {
      const json::object* handler = handlers[k].if_object();
      if (handler != nullptr && is_our_hook(*handler)) {
        found.push_back({i, k, true, handlers.size() == 1});
      }
    }
  }
  return found;
}

JsonPath entry_path(const std::string& event, const FoundHook& hook) {
  return {"hooks", event, std::to_string(hook.entry)};
}

JsonPath handler_path(const std::string& event, const FoundHook& hook) {
  JsonPath path = entry_path(event, hook);
  if (!hook.in_group) return path;
  path.emplace_back("hooks");
  path.push_back(std::to_string(hook.handler));
  return path;
}

core::Result<void> erase_hook(JsonDocument& document, const std::string& event,
                              const FoundHook& hook) {
  return document.erase(hook.is_alone ? entry_path(event, hook) : handler_path(event, hook));
}

// Takes out the hooks of parley but the first `kept`, the last one first: an index is a place in
// the list.
core::Result<void> erase_ours(JsonDocument& document, const std::string& event, std::size_t kept) {
  const std::vector<FoundHook> found = ours_in(document.find({"hooks", event}));
  for (std::size_t i = found.size(); i > kept; --i) {
    PARLEY_TRY_VOID(erase_hook(document, event, found[i - 1]));
  }
  return {};
}

core::Result<void> install_one(JsonDocument& document, HookShape shape, const WantedHook& hook) {
  const std::vector<FoundHook> found = ours_in(document.find({"hooks", hook.event}));
  const json::object entry = hook_entry(shape, hook);
  if (found.empty()) return document.put({"hooks", hook.event, "-"}, entry);
  PARLEY_TRY_VOID(erase_ours(document, hook.event, 1));
  if (found.front().is_alone || !found.front().in_group) {
    return document.put(entry_path(hook.event, found.front()), entry);
  }
  return document.put(handler_path(hook.event, found.front()), entry.at("hooks").at(0));
}

std::vector<std::string> events_of(const JsonDocument& document) {
  std::vector<std::string> events;
  const json::value* hooks = document.find({"hooks"});
  if (hooks == nullptr || !hooks->is_object()) return events;
  for (const auto& [event, list] : hooks->get_object()) events.emplace_back(event);
  return events;
}

std::string flag(const char* name, const std::string& value) {
  return value.empty() ? "" : std::string(" --") + name + " " + value;
}

// The flags of hooks that ask.
std::string asking_flags(const SetupOptions& options) {
  return flag("when-nobody", options.when_nobody) + flag("somebody", options.somebody);
}

std::vector<WantedHook> claude_hooks(const SetupOptions& options, const std::string& command) {
  const bool asks = options.stop == "ask";
  const std::string questions = flag("questions", options.questions) + asking_flags(options);
  std::vector<WantedHook> hooks{{"PermissionRequest", "*", command + questions, kDay, false}};
  if (options.questions == "pre") {
    hooks.push_back({"PreToolUse", "AskUserQuestion", command + questions, kDay, false});
  }
  for (const char* event : {"PostToolUse", "PostToolUseFailure"}) {
    hooks.push_back({event, "*", command, kAtOnce, true});
  }
  for (const char* event : {"UserPromptSubmit", "SubagentStop", "SessionEnd"}) {
    hooks.push_back({event, "", command, kAtOnce, true});
  }
  const std::string stop = flag("stop", options.stop) + (asks ? asking_flags(options) : "");
  hooks.push_back({"Stop", "", command + stop, asks ? kDay : kAtOnce, !asks});
  hooks.push_back(
      {"Notification", "idle_prompt|agent_needs_input|agent_completed", command, kAtOnce, false});
  return hooks;
}

// Codex trusts each entry by its hash: options that were not given leave no trace in it.
std::vector<WantedHook> serial_hooks(const AgentFacts& agent, const SetupOptions& options,
                                     const std::string& command) {
  const int unit = agent.hooks == HookShape::groups_ms ? kMs : 1;
  const std::string questions = flag("questions", options.questions) + asking_flags(options);
  std::vector<WantedHook> hooks{
      {"PermissionRequest", "*", command + questions, kSerial * unit, false}};
  if (agent.id == AgentId::codex && options.questions == "on") {
    hooks.push_back(
        {"PreToolUse", "^request_user_input$", command + questions, kSerial * unit, false});
  }
  if (options.stop == "notify" || options.stop == "ask") {
    const int wait = options.stop == "ask" ? kSerial : kAtOnce;
    const std::string stop =
        flag("stop", options.stop) + (options.stop == "ask" ? asking_flags(options) : "");
    hooks.push_back({"Stop", "", command + stop, wait * unit, false});
  }
  return hooks;
}

std::string one_of(const std::string& gate) {
  std::string names = gate;
  std::replace(names.begin(), names.end(), ',', '|');
  return names;
}

}  // namespace

std::vector<WantedHook> wanted_hooks(const AgentFacts& agent, const SetupOptions& options,
                                     const std::string& program) {
  const std::string command = shell_word(program) + " hook " + std::string(agent.word);
  const std::string gated = command + flag("gate", options.gate) + asking_flags(options);
  const std::string ending = command + flag("stop", options.stop);
  switch (agent.id) {
    case AgentId::claude:
      return claude_hooks(options, command);
    case AgentId::codex:
    case AgentId::qwen:
      return serial_hooks(agent, options, command);
    case AgentId::gemini:
      return {{"Notification", "", command, kAtOnce * kMs, false},
              {"AfterAgent", "", ending, (options.stop == "ask" ? kMinute : kAtOnce) * kMs, false}};
    case AgentId::cursor:
      if (options.gate.empty()) return {};
      return {{"beforeShellExecution", "", gated, kGate, false},
              {"beforeMCPExecution", "", gated, kGate, false},
              {"stop", "", ending, kGate, false}};
    case AgentId::crush:
      if (options.gate.empty()) return {};
      return {{"PreToolUse", "^(" + one_of(options.gate) + ")$", gated, kGate, false}};
    default:
      return {};
  }
}

json::object hook_entry(HookShape shape, const WantedHook& hook) {
  json::object entry;
  if (shape == HookShape::crush_list) entry["name"] = "parley";
  if (!hook.matcher.empty()) entry["matcher"] = hook.matcher;
  if (shape == HookShape::cursor_list || shape == HookShape::crush_list) {
    entry["command"] = hook.command;
    entry["timeout"] = hook.timeout;
    return entry;
  }
  json::object handler{{"type", "command"}, {"command", hook.command}, {"timeout", hook.timeout}};
  if (hook.background) handler["async"] = true;
  json::array handlers;
  handlers.emplace_back(std::move(handler));
  entry["hooks"] = std::move(handlers);
  return entry;
}

core::Result<void> install_hooks(JsonDocument& document, HookShape shape,
                                 const std::vector<WantedHook>& wanted) {
  if (shape == HookShape::cursor_list && document.find({"version"}) == nullptr) {
    PARLEY_TRY_VOID(document.put({"version"}, 1));
  }
  for (const WantedHook& hook : wanted) PARLEY_TRY_VOID(install_one(document, shape, hook));
  for (const std::string& event : events_of(document)) {
    const bool is_wanted = std::any_of(wanted.begin(), wanted.end(),
                                       [&](const WantedHook& hook) { return hook.event == event; });
    if (is_wanted) continue;
    PARLEY_TRY_VOID(erase_ours(document, event, 0));
  }
  return {};
}

core::Result<void> remove_hooks(JsonDocument& document) {
  for (const std::string& event : events_of(document)) {
    PARLEY_TRY_VOID(erase_ours(document, event, 0));
  }
  return {};
}

core::Result<void> remove_empty(JsonDocument& document, const std::vector<JsonPath>& created) {
  std::vector<JsonPath> inner_first = created;
  std::stable_sort(inner_first.begin(), inner_first.end(),
                   [](const JsonPath& a, const JsonPath& b) { return a.size() > b.size(); });
  for (const JsonPath& path : inner_first) {
    const json::value* value = document.find(path);
    if (value == nullptr) continue;
    const bool is_empty = (value->is_object() && value->get_object().empty()) ||
                          (value->is_array() && value->get_array().empty());
    const bool is_version = path == JsonPath{"version"} && document.find({"hooks"}) == nullptr;
    if (is_empty || is_version) PARLEY_TRY_VOID(document.erase(path));
  }
  return {};
}

std::vector<std::string> foreign_hooks(const JsonDocument& document) {
  std::vector<std::string> foreign;
  for (const std::string& event : events_of(document)) {
    const json::value* list = document.find({"hooks", event});
    if (list == nullptr || !list->is_array()) continue;
    std::size_t ours_alone = 0;
    for (const FoundHook& hook : ours_in(list)) ours_alone += hook.is_alone ? 1 : 0;
    if (list->get_array().size() > ours_alone) foreign.push_back(event);
  }
  return foreign;
}

}  // namespace parley::setup
