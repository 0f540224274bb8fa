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

#include "core/result.h"

// Events that coding agents report to a hook program on stdin (docs/hooks.md). No input or output.
namespace parley::hook {

enum class Agent : std::uint8_t { claude, codex, qwen, opencode };

struct AgentFacts {
  std::string_view word;   // on the command line
  std::string_view title;  // for a person
  int wait_s;              // default of --wait
  bool rules;              // takes updatedPermissions
  bool edits;              // takes updatedInput
  bool interrupts;         // takes "deny and stop"
};

inline constexpr std::array<AgentFacts, 4> kAgents = {{
    {"claude", "Claude Code", 86'340, true, true, true},
    {"codex", "Codex", 540, false, false, false},
    {"qwen", "Qwen Code", 540, true, true, true},
    {"opencode", "OpenCode", 86'340, false, false, false},
}};

inline const AgentFacts& facts_of(Agent agent) {
  return kAgents.at(static_cast<std::size_t>(agent));
}
std::optional<Agent> agent_named(std::string_view word);

enum class HookKind : std::uint8_t {
  permission,  // may a tool run?
  plan,        // is the plan approved?
  questions,   // the agent asks its own questions
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
  std::string mode;
  std::string model;
  std::string tool;
  boost::json::object input;       // of the tool
  boost::json::array suggestions;  // rules that the agent would take
  std::string text;                // of a notice, or the last message of the agent
  std::string notice_kind;         // "idle", "waiting", "failed", "done"
  bool goes_on_later = false;      // the agent has tasks in the background
};

inline constexpr std::size_t kMaxInputBytes = 16U << 20U;
inline constexpr std::size_t kMaxInputDepth = 64;

// Reads one event. Errors: `invalid_argument` with the reason for the log; also for an event of
// another program that reads the agent's settings, and for an unknown one.
core::Result<HookEvent> read_event(Agent agent, Questions questions, std::string_view bytes);

// Text of a member; empty if it is absent or no text.
std::string text_of(const boost::json::object& object, std::string_view name);

}  // namespace parley::hook
