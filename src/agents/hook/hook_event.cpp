// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/hook_event.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/system/error_code.hpp>
#include <utility>
#include <vector>

#include "agents/hook/event_parts.h"
#include "base/core/json_text.h"
#include "base/core/result.h"
#include "base/core/sha256.h"
#include "base/core/utf8.h"

namespace parley::hook {
namespace {

namespace json = boost::json;

struct Named {
  std::string_view name;
  HookKind kind;
};

// Events with the names of Claude Code, which Codex and Qwen Code use as well.
constexpr std::array<Named, 9> kClaudeEvents = {{
    {"PermissionRequest", HookKind::permission},
    {"PreToolUse", HookKind::questions},
    {"PostToolUse", HookKind::progress},
    {"PostToolUseFailure", HookKind::progress},
    {"UserPromptSubmit", HookKind::progress},
    {"SubagentStop", HookKind::progress},
    {"SessionEnd", HookKind::progress},
    {"Stop", HookKind::finished},
    {"StopFailure", HookKind::notice},
}};

constexpr std::array<Named, 4> kOpencodeEvents = {{
    {"permission.asked", HookKind::permission},
    {"question.asked", HookKind::questions},
    {"session.idle", HookKind::finished},
    {"session.error", HookKind::notice},
}};

template <std::size_t size>
std::optional<HookKind> kind_named(const std::array<Named, size>& events, std::string_view name) {
  const auto found = std::find_if(events.begin(), events.end(),
                                  [&](const Named& one) { return one.name == name; });
  if (found == events.end()) return std::nullopt;
  return found->kind;
}

// Cursor, VS Code and Copilot read the settings of Claude Code, and call its hooks with other
// meanings.
bool is_of_another_program(const json::object& in) {
  return in.contains("cursor_version") || in.contains("hookEventName") ||
         in.contains("sessionId") || in.contains("timestamp");
}

// The kind of a notification that a person wants to know, or empty.
std::string_view notice_kind_of(std::string_view type) {
  if (type == "idle_prompt") return "idle";
  if (type == "agent_needs_input") return "waiting";
  if (type == "agent_completed") return "done";
  return {};
}

core::Result<void> take_tool(HookEvent& event, const json::object& in) {
  event.tool = text_of(in, "tool_name");
  const json::object* input = object_in(in, "tool_input");
  if (event.tool.empty() || input == nullptr) {
    return core::fail(refused("tool_name or tool_input is missing"));
  }
  event.input = *input;
  return {};
}

// True for tools by which the agent asks its own questions.
bool asks_person(std::string_view tool) {
  return tool == "AskUserQuestion" || tool == "request_user_input" || tool == "ask_user_question";
}

core::Result<void> classify_request(HookEvent& event, Questions questions) {
  const bool asks = asks_person(event.tool);
  if (event.name == "PreToolUse") {
    const bool wanted =
        event.agent == Agent::codex ? questions == Questions::on : questions == Questions::pre;
    if (!asks || !wanted) return core::fail(refused("a tool call that is not a question"));
    event.kind = HookKind::questions;
    return {};
  }
  if (asks && questions == Questions::on) {
    event.kind = HookKind::questions;
  } else if (asks && event.agent == Agent::qwen) {
    event.kind = HookKind::dialog;
  } else if (asks) {
    return core::fail(refused("questions are not asked"));
  } else if (event.tool == "ExitPlanMode" || event.tool == "exit_plan_mode") {
    event.kind = HookKind::plan;
    event.plan = text_of(event.input, "plan");
  }
  return {};
}

core::Result<void> take_notice(HookEvent& event, const json::object& in) {
  if (event.name == "StopFailure") {
    event.notice_kind = "failed";
    event.text = text_of(in, "error");
    return {};
  }
  event.notice_kind = notice_kind_of(text_of(in, "notification_type"));
  event.text = text_of(in, "message");
  if (event.notice_kind.empty()) return core::fail(refused("a notification of another type"));
  return {};
}

core::Result<HookEvent> read_claude(Agent agent, Questions questions, const json::object& in) {
  if (agent == Agent::claude && is_of_another_program(in)) {
    return core::fail(refused("another program runs this hook"));
  }
  HookEvent event;
  event.agent = agent;
  event.name = text_of(in, "hook_event_name");
  const auto kind = event.name == "Notification" ? std::optional(HookKind::notice)
                                                 : kind_named(kClaudeEvents, event.name);
  if (!kind) return core::fail(refused("unknown event"));
  event.kind = *kind;
  event.session = text_of(in, "session_id");
  event.agent_id = text_of(in, "agent_id");
  event.agent_type = text_of(in, "agent_type");
  event.directory = text_of(in, "cwd");
  event.mode = text_of(in, "permission_mode");
  event.model = text_of(in, "model");
  event.text = text_of(in, "last_assistant_message");
  if (const json::object* server = object_in(in, "mcp_server")) {
    event.server_source = text_of(*server, "source");
  }
  const json::value* tasks = in.if_contains("background_tasks");
  event.goes_on_later = tasks != nullptr && tasks->is_array() && !tasks->get_array().empty();
  if (*kind == HookKind::permission || *kind == HookKind::questions) {
    PARLEY_TRY_VOID(take_tool(event, in));
    PARLEY_TRY_VOID(classify_request(event, questions));
    const json::value* suggestions = in.if_contains("permission_suggestions");
    if (suggestions != nullptr && suggestions->is_array()) {
      event.suggestions = suggestions->get_array();
    }
  } else if (event.name.starts_with("PostToolUse")) {
    PARLEY_TRY_VOID(take_tool(event, in));
  } else if (*kind == HookKind::notice) {
    PARLEY_TRY_VOID(take_notice(event, in));
  }
  return event;
}

// The person's own abort ends what was asked, and is no failure.
void take_opencode_error(HookEvent& event, const json::object& properties) {
  event.notice_kind = "failed";
  event.text = "The turn has failed";
  const json::object* error = object_in(properties, "error");
  if (error == nullptr) return;
  if (text_of(*error, "name") == "MessageAbortedError") event.kind = HookKind::progress;
  const json::object* data = object_in(*error, "data");
  const std::string message = data == nullptr ? std::string() : text_of(*data, "message");
  if (!message.empty()) event.text = message;
}

core::Result<HookEvent> read_opencode(Questions questions, const json::object& in) {
  HookEvent event;
  event.agent = Agent::opencode;
  event.name = text_of(in, "event");
  const auto kind = kind_named(kOpencodeEvents, event.name);
  const json::object* properties = object_in(in, "properties");
  if (!kind || properties == nullptr) return core::fail(refused("unknown event"));
  event.kind = *kind;
  event.session = text_of(*properties, "sessionID");
  event.directory = text_of(in, "directory");
  event.tool = *kind == HookKind::questions ? "question" : text_of(*properties, "permission");
  event.input = *properties;
  // The arguments of the tool, beside those of the request.
  if (const json::object* metadata = object_in(*properties, "metadata")) {
    json::object twice;
    for (const auto& [name, value] : *metadata) {
      if (!event.input.emplace(name, value).second) twice.emplace(name, value);
    }
    event.input.erase("metadata");
    if (!twice.empty()) event.input.emplace("metadata", std::move(twice));
  }
  if (*kind == HookKind::questions && questions == Questions::off) {
    return core::fail(refused("questions are not asked"));
  }
  if (event.name == "session.error") take_opencode_error(event, *properties);
  return event;
}

}  // namespace

std::optional<Agent> agent_named(std::string_view word) {
  for (std::size_t i = 0; i < kAgents.size(); ++i) {
    if (kAgents.at(i).word == word) return static_cast<Agent>(i);
  }
  return std::nullopt;
}

std::string text_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return {};
  return std::string(value->get_string());
}

core::Result<json::object> parse_object(std::string_view bytes) {
  if (bytes.size() > kMaxInputBytes) return core::fail(refused("the input is above 16 MiB"));
  json::parse_options options;
  options.max_depth = kMaxInputDepth;
  boost::system::error_code failed;
  json::value value = json::parse(bytes, failed, {}, options);
  if (failed.failed() || !core::is_utf8(bytes)) return core::fail(refused("the input is not JSON"));
  if (!value.is_object()) return core::fail(refused("the input is not a JSON object"));
  return std::move(value.get_object());
}

std::optional<json::object> arguments_in(const json::object& object, std::string_view name) {
  if (const json::object* arguments = object_in(object, name)) return *arguments;
  const std::string text = text_of(object, name);
  if (text.empty()) return std::nullopt;
  auto parsed = parse_object(text);
  if (!parsed) return std::nullopt;
  return *std::move(parsed);
}

std::string first_text_of(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  const json::array* list = value == nullptr ? nullptr : value->if_array();
  if (list == nullptr || list->empty() || !list->front().is_string()) return {};
  return std::string(list->front().get_string());
}

namespace {

// The bytes of the tool's input as the agent wrote them, or all of the event.
std::string_view sent_input(std::string_view event) {
  std::vector<core::JsonField> members;
  std::vector<core::JsonField> none;
  core::scan_object(event, kMaxInputDepth + 1, {}, members, none);
  const core::JsonField* input = core::find_field(members, "tool_input");
  return input != nullptr && input->type == core::JsonType::object ? input->value : event;
}

core::Result<HookEvent> read_known(Agent agent, Questions questions, const json::object& in) {
  switch (agent) {
    case Agent::claude:
    case Agent::codex:
    case Agent::qwen:
      return read_claude(agent, questions, in);
    case Agent::opencode:
      return read_opencode(questions, in);
    case Agent::copilot:
    case Agent::vscode:
      return read_copilot(in);
    case Agent::cursor:
      return read_cursor(in);
    case Agent::crush:
      return read_crush(in);
    case Agent::gemini:
      return read_gemini(in);
    case Agent::goose:
      return read_goose(in);
    case Agent::cline:
      return read_cline(in);
    case Agent::kiro:
      break;
  }
  return core::fail(refused("this agent is not answered"));
}

}  // namespace

core::Result<HookEvent> read_event(Agent agent, Questions questions, std::string_view bytes) {
  PARLEY_TRY(const json::object in, parse_object(bytes));
  PARLEY_TRY(HookEvent event, read_known(agent, questions, in));
  event.input_sha256 = core::sha256_hex(sent_input(bytes));
  return event;
}

}  // namespace parley::hook
