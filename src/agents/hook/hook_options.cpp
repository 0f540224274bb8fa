// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/hook_options.h"

#include <algorithm>
#include <optional>

#include "base/core/command_flag.h"
#include "base/core/limits.h"
#include "base/core/near_names.h"
#include "base/core/number_text.h"
#include "base/core/result.h"

namespace parley::hook {

const std::string_view kHookHelp =
    "Example: a hook of Claude Code, which `PermissionRequest` runs\n"
    "  parley hook claude\n"
    "\n"
    "Reads an event of a coding agent on stdin, asks the person in front of Parley, and prints "
    "the\n"
    "decision in the agent's own form. Without a server, an answer or a known event it prints\n"
    "nothing, and the agent asks by itself. The exit code is always 0.\n"
    "\n"
    "parley hook AGENT [OPTIONS]     AGENT: claude, codex, qwen, opencode, copilot, vscode, "
    "cursor,\n"
    "                                crush; only for notices: gemini, goose, cline; for nothing "
    "yet:\n"
    "                                kiro\n"
    "\n"
    "  --gate TOOLS            asks only about these tools: exact names, separated by commas. "
    "copilot,\n"
    "                          vscode, cursor and crush ask about nothing without it\n"
    "  --wait SEC              longest time to wait for an answer: 86340 (claude, opencode), 540\n"
    "                          (codex, qwen, claude without a person), 55 (gemini) or 25\n"
    "  --when-nobody ask|pass  without a connected page: ask nevertheless (default of claude and\n"
    "                          opencode), or let the agent ask at once\n"
    "  --somebody any|page     is somebody: a connected page, a notifier or a device that tells\n"
    "                          (default), or a page alone\n"
    "  --stop off|notify|ask   the end of a turn: nothing, a notice (default), or a question "
    "whose\n"
    "                          answer the agent goes on with; a notice if it cannot\n"
    "  --questions on|off|pre  the agent's own questions; pre: before the tool call (claude).\n"
    "                          Default: on, off for codex and qwen, which take an answer only "
    "as\n"
    "                          the reason of a refusal\n"
    "  --agent-folder DIR      the agent's own folder, in which its plans are: ~/.claude (claude)\n"
    "  --language en|zh        of what the person reads; default: that of the environment (LANG)\n"
    "  --data DIR              Parley's data directory, to find the running server\n"
    "  --config FILE           an agentassistant-mcp.toml that names the server\n"
    "  --explain               shows a person what would be asked; exit code 2: the event is "
    "unknown\n"
    "  --help\n";

namespace {

core::Error wrong(std::string why) { return {core::Code::invalid_argument, std::move(why), {}}; }

// Limit (parley hook): wait of Claude Code without a person. Reached: silence.
constexpr core::Millis kUnattendedWait = std::chrono::seconds(540);

core::Result<void> set_path(std::string& out, const std::string& name, const std::string& value) {
  if (!value.starts_with('/')) return core::fail(wrong("--" + name + " needs an absolute path"));
  out = value;
  return {};
}

core::Result<void> set_gate(HookOptions& options, std::string_view tools) {
  options.gate.clear();
  while (!tools.empty()) {
    const std::string_view tool = tools.substr(0, tools.find(','));
    tools.remove_prefix(std::min(tool.size() + 1, tools.size()));
    if (!tool.empty()) options.gate.emplace_back(tool);
  }
  if (options.gate.empty()) return core::fail(wrong("--gate names no tool"));
  return {};
}

core::Result<void> set_value(HookOptions& options, const std::string& name,
                             const std::string& value) {
  if (name == "data") return set_path(options.data, name, value);
  if (name == "config") return set_path(options.config, name, value);
  if (name == "agent-folder") return set_path(options.agent_folder, name, value);
  if (name == "gate") return set_gate(options, value);
  if (name == "when-nobody" && value == "ask") {
    return options.when_nobody = WhenNobody::ask, core::Result<void>();
  }
  if (name == "when-nobody" && value == "pass") {
    return options.when_nobody = WhenNobody::pass, core::Result<void>();
  }
  if (name == "somebody") {
    if (value == "any") return options.somebody = Somebody::any, core::Result<void>();
    if (value == "page") return options.somebody = Somebody::page, core::Result<void>();
  }
  if (name == "wait") {
    const auto seconds = core::parse_number<std::int64_t>(value);
    if (!seconds || *seconds < 1 || std::chrono::seconds(*seconds) > core::limits::kMaxWait) {
      return core::fail(wrong("--wait must be from 1 to 86400 seconds"));
    }
    options.wait = std::chrono::seconds(*seconds);
    return {};
  }
  if (name == "stop" && value == "off") return options.stop = StopMode::off, core::Result<void>();
  if (name == "stop" && value == "notify") {
    return options.stop = StopMode::notify, core::Result<void>();
  }
  if (name == "stop" && value == "ask") return options.stop = StopMode::ask, core::Result<void>();
  if (name == "language") {
    if (value == "en") return options.language = Language::english, core::Result<void>();
    if (value == "zh") return options.language = Language::chinese, core::Result<void>();
  }
  if (name == "questions") {
    if (value == "on") return options.questions = Questions::on, core::Result<void>();
    if (value == "off") return options.questions = Questions::off, core::Result<void>();
    if (value == "pre") return options.questions = Questions::pre, core::Result<void>();
  }
  return core::fail(wrong("unknown flag or value: --" + name));
}

}  // namespace

core::Result<HookOptions> parse_hook_options(const std::vector<std::string>& arguments,
                                             bool attended) {
  HookOptions options;
  std::optional<Agent> agent;
  std::vector<std::pair<std::string, std::string>> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::optional<core::CommandFlag> flag = core::split_flag(arguments[i]);
    if (!flag) {
      if (agent) return core::fail(wrong("more than one agent"));
      agent = agent_named(arguments[i]);
      if (!agent) {
        std::vector<std::string_view> words;
        words.reserve(kAgents.size());
        for (const AgentFacts& facts : kAgents) words.push_back(facts.word);
        return core::fail(wrong("unknown agent." + core::did_you_mean(arguments[i], words)));
      }
    } else if (flag->name == "help" || flag->name == "h") {
      options.help = true;
    } else if (flag->name == "explain") {
      options.explain = true;
    } else if (flag->value) {
      values.emplace_back(flag->name, *flag->value);
    } else if (i + 1 < arguments.size()) {
      values.emplace_back(flag->name, arguments[++i]);
    } else {
      return core::fail(wrong("--" + flag->name + " needs a value"));
    }
  }
  if (options.help) return options;
  if (!agent) return core::fail(wrong("the agent is missing"));
  options.agent = *agent;
  options.language = language_of_environment();
  options.wait = std::chrono::seconds(facts_of(*agent).wait_s);
  if (!facts_of(*agent).answers_dialogs) options.questions = Questions::off;
  const bool is_alone = !attended && *agent == Agent::claude;
  if (facts_of(*agent).serial || is_alone) options.when_nobody = WhenNobody::pass;
  if (is_alone) options.wait = kUnattendedWait;
  for (const auto& [name, value] : values) PARLEY_TRY_VOID(set_value(options, name, value));
  return options;
}

bool lets_through(const HookOptions& options, const HookEvent& event) {
  const bool asks = event.kind == HookKind::permission || event.kind == HookKind::plan ||
                    event.kind == HookKind::questions || event.kind == HookKind::dialog;
  if (!asks) return true;
  if (options.gate.empty()) return !facts_of(event.agent).gated;
  return std::find(options.gate.begin(), options.gate.end(), event.tool) != options.gate.end();
}

}  // namespace parley::hook
