// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Events of agents with a gate before every tool call: Copilot CLI, VS Code, Cursor and Crush.
#include <boost/json/value.hpp>

#include "agents/hook/event_parts.h"
#include "base/core/result.h"

namespace parley::hook {
namespace {

namespace json = boost::json;

// Name under which the arguments of an MCP tool show its server. An argument of this name would
// hide the server: such a call is not asked about.
constexpr std::string_view kServerField = "MCP server";

core::Result<void> take_arguments(HookEvent& event, const json::object& in, std::string_view name) {
  auto arguments = arguments_in(in, name);
  if (event.tool.empty() || !arguments) {
    return core::fail(refused("the tool or its arguments are missing"));
  }
  event.kind = HookKind::permission;
  event.input = *std::move(arguments);
  return {};
}

std::string_view copilot_notice_kind(std::string_view type) {
  if (type == "permission_prompt" || type == "elicitation_dialog") return "waiting";
  if (type == "agent_idle") return "idle";
  if (type == "agent_completed") return "done";
  return {};
}

// The event of VS Code, whose names differ from Copilot's.
core::Result<HookEvent> read_vscode(HookEvent event, const json::object& in) {
  event.agent = Agent::vscode;
  event.name = text_of(in, "hookEventName");
  event.tool = text_of(in, "tool_name");
  if (event.name == "PreToolUse") {
    PARLEY_TRY_VOID(take_arguments(event, in, "tool_input"));
    return event;
  }
  if (event.name != "Stop") return core::fail(refused("unknown event"));
  event.kind = HookKind::finished;
  return event;
}

core::Result<HookEvent> read_copilot_notice(HookEvent event, const json::object& in) {
  event.name = text_of(in, "hook_event_name");
  event.kind = HookKind::notice;
  event.notice_kind = copilot_notice_kind(text_of(in, "notification_type"));
  event.text = text_of(in, "message");
  // Its other events under these names repeat those that are read below.
  if (event.name != "Notification") return core::fail(refused("unknown event"));
  if (event.notice_kind.empty()) return core::fail(refused("a notification of another type"));
  return event;
}

}  // namespace

core::Result<HookEvent> read_copilot(const json::object& in) {
  HookEvent event;
  event.agent = Agent::copilot;
  event.session = text_of(in, "sessionId");
  event.directory = text_of(in, "cwd");
  if (in.contains("hookEventName")) return read_vscode(std::move(event), in);
  if (in.contains("hook_event_name")) return read_copilot_notice(std::move(event), in);
  // Most events have no name: their members tell them apart.
  if (in.contains("toolName")) {
    if (in.contains("toolResult") || in.contains("error")) {
      return core::fail(refused("a tool call that has ended"));
    }
    const std::string name = text_of(in, "hookName");  // older versions leave it out
    if (!name.empty() && name != "permissionRequest") return core::fail(refused("unknown event"));
    event.name = "permissionRequest";
    event.tool = text_of(in, "toolName");
    // Its older name is toolArgs; the one that is not shown must not differ.
    const bool is_new = in.contains("toolInput");
    PARLEY_TRY_VOID(take_arguments(event, in, is_new ? "toolInput" : "toolArgs"));
    if (is_new && in.contains("toolArgs") && arguments_in(in, "toolArgs") != event.input) {
      return core::fail(refused("the arguments are given twice"));
    }
    return event;
  }
  if (!in.contains("stopReason")) return core::fail(refused("unknown event"));
  event.name = "agentStop";
  event.kind = HookKind::finished;
  event.agent_id = text_of(in, "agentId");
  return event;
}

core::Result<HookEvent> read_cursor(const json::object& in) {
  HookEvent event;
  event.agent = Agent::cursor;
  event.name = text_of(in, "hook_event_name");
  event.session = text_of(in, "conversation_id");
  event.model = text_of(in, "model");
  event.directory = text_of(in, "cwd");
  if (event.directory.empty()) event.directory = first_text_of(in, "workspace_roots");
  if (event.name == "beforeShellExecution") {
    event.kind = HookKind::permission;
    event.tool = kCursorShell;
    event.input["command"] = text_of(in, "command");
    if (text_of(in, "command").empty()) return core::fail(refused("the command is missing"));
    return event;
  }
  if (event.name == "beforeMCPExecution") {
    event.tool = text_of(in, "tool_name");
    PARLEY_TRY_VOID(take_arguments(event, in, "tool_input"));
    for (const std::string_view name : {"url", "command"}) {
      const json::value* server = in.if_contains(name);
      if (server != nullptr && !event.input.emplace(kServerField, *server).second) {
        return core::fail(refused("the arguments hide the server of the tool"));
      }
    }
    return event;
  }
  if (event.name != "stop") return core::fail(refused("unknown event"));
  const std::string status = text_of(in, "status");
  if (status != "completed" && status != "error") {
    return core::fail(refused("the person has ended the turn"));
  }
  event.kind = status == "error" ? HookKind::notice : HookKind::finished;
  event.notice_kind = "failed";
  event.text = status == "error" ? "The turn has failed" : "";
  return event;
}

core::Result<HookEvent> read_crush(const json::object& in) {
  HookEvent event;
  event.agent = Agent::crush;
  event.name = text_of(in, "event");
  event.session = text_of(in, "session_id");
  event.directory = text_of(in, "cwd");
  event.tool = text_of(in, "tool_name");
  if (event.name != "PreToolUse") return core::fail(refused("unknown event"));
  PARLEY_TRY_VOID(take_arguments(event, in, "tool_input"));
  return event;
}

}  // namespace parley::hook
