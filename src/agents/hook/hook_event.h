// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agents/hook/hook_words.h"
#include "base/core/result.h"

// Events that coding agents report to a hook program on stdin (docs/hooks.md). No input or output.
namespace parley::hook {

enum class Agent : std::uint8_t {
  claude,
  codex,
  qwen,
  opencode,
  copilot,
  vscode,
  cursor,
  crush,
  gemini,
  goose,
  cline,
  kiro,
};

struct AgentFacts {
  std::string_view word;    // on the command line
  std::string_view title;   // for a person
  int wait_s = 0;           // default of --wait; 0: nothing is asked
  bool rules = false;       // takes updatedPermissions
  bool edits = false;       // takes updatedInput
  bool interrupts = false;  // takes "deny and stop"
  bool continues = false;   // goes on with what a person says at the end of a turn
  bool serial = false;      // shows nothing to the person while the hook runs
  bool gated = false;       // has a gate before every tool call: asks only with --gate
  // Takes an answer to its own dialogs (questions, plans); the others drop an allow for them.
  bool answers_dialogs = false;
};

inline constexpr std::array<AgentFacts, 12> kAgents = {{
    {.word = "claude",
     .title = "Claude Code",
     .wait_s = 86'340,
     .rules = true,
     .edits = true,
     .interrupts = true,
     .continues = true,
     .answers_dialogs = true},
    {.word = "codex", .title = "Codex", .wait_s = 540, .continues = true, .serial = true},
    {.word = "qwen",
     .title = "Qwen Code",
     .wait_s = 540,
     .rules = true,
     .edits = true,
     .interrupts = true,
     .continues = true,
     .serial = true},
    {.word = "opencode", .title = "OpenCode", .wait_s = 86'340, .answers_dialogs = true},
    {.word = "copilot",
     .title = "Copilot CLI",
     .wait_s = 25,
     .interrupts = true,
     .continues = true,
     .serial = true,
     .gated = true},
    {.word = "vscode", .title = "VS Code", .wait_s = 25, .serial = true, .gated = true},
    {.word = "cursor",
     .title = "Cursor",
     .wait_s = 25,
     .continues = true,
     .serial = true,
     .gated = true},
    {.word = "crush", .title = "Crush", .wait_s = 25, .serial = true, .gated = true},
    {.word = "gemini", .title = "Gemini CLI", .wait_s = 55, .continues = true, .serial = true},
    {.word = "goose", .title = "Goose"},
    {.word = "cline", .title = "Cline"},
    {.word = "kiro", .title = "Kiro"},
}};

// The tool of Cursor's shell commands, whose events name none.
inline constexpr std::string_view kCursorShell = "Shell";

inline const AgentFacts& facts_of(Agent agent) {
  return kAgents.at(static_cast<std::size_t>(agent));
}
std::optional<Agent> agent_named(std::string_view word);

enum class HookKind : std::uint8_t {
  permission,  // may a tool run?
  plan,        // is the plan approved?
  questions,   // the agent asks its own questions
  dialog,      // the agent asks its own questions, which only its terminal can answer
  finished,    // the agent has ended its turn
  notice,      // the agent waits, or has failed
  progress,    // shows that a prompt was answered elsewhere
};

// When --questions makes questions of the agent ours.
enum class Questions : std::uint8_t { on, off, pre };

struct HookEvent {
  Agent agent = Agent::claude;
  HookKind kind = HookKind::progress;
  std::string name;  // as the agent says: "PermissionRequest"
  std::string session;
  std::string agent_id;    // of a subagent; empty: the main agent
  std::string agent_type;  // the subagent's own name
  std::string directory;
  std::string home;  // of the person whose agent it is; empty: unknown. No part of the event
  Language language = Language::english;  // of the person. No part of the event
  std::string mode;
  std::string model;
  std::string tool;
  std::string server_source;  // settings that name the MCP server of the tool: "user"
  boost::json::object input;  // of the tool
  // SHA-256 of `tool_input` as the agent sent it; of the whole event if it has none.
  std::string input_sha256;
  std::string plan;                // of a plan; empty: it cannot be shown
  boost::json::array suggestions;  // rules that the agent would take
  std::string text;                // of a notice, or the last message of the agent
  std::string notice_kind;         // "idle", "waiting", "failed", "done"
  bool goes_on_later = false;      // the agent has tasks in the background
};

// Limit (parley hook): input of an event. Reached: silence.
inline constexpr std::size_t kMaxInputBytes = 16U << 20U;
// Limit (parley hook): nesting of an event's input. Reached: silence.
inline constexpr std::size_t kMaxInputDepth = 64;

// Reads one event. Errors: `invalid_argument` with the reason for the log; also for an event of
// another program that reads the agent's settings, and for an unknown one.
core::Result<HookEvent> read_event(Agent agent, Questions questions, std::string_view bytes);

// Text of a member; empty if it is absent or no text.
std::string text_of(const boost::json::object& object, std::string_view name);

}  // namespace parley::hook
