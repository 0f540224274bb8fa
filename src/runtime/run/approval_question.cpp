// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/approval_question.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <optional>
#include <vector>

#include "base/core/assert.h"
#include "base/core/json_text.h"
#include "base/core/json_writer.h"
#include "base/core/limits.h"
#include "base/core/markdown_code.h"
#include "base/core/sha256.h"
#include "base/shell/explanation_text.h"
#include "model/session/action.h"
#include "runtime/run/run_interactions.h"
#include "runtime/run/shell_call.h"

namespace parley::run {
namespace {

constexpr std::size_t kMaxShownDepth = 1'024;  // levels; deeper arguments are shown as text

bool is_json_object(const std::string& text) {
  std::vector<core::JsonField> members;
  std::vector<core::JsonField> none;
  return core::scan_object(text, kMaxShownDepth, {}, members, none) == core::ScanResult::ok;
}

// A shell command is shown as it is, with its dangers in front and what it touches behind it; of
// another tool the arguments are shown as JSON.
std::string asked_text(const model::ToolCall& call, const std::optional<ShellCall>& created,
                       const shell::Explanation& explained) {
  std::string text = "Allow " + core::code_span(call.name) + " to run?";
  if (!created) return text + "\n\n" + core::fenced("json", call.arguments);
  using shell::Language;
  const std::string dangers = danger_text(explained, Language::english);
  if (!dangers.empty()) text += "\n\n" + dangers;
  if (!created->is_certain) {
    text += "\n\n" + core::code_span(created->argument) + ", read as a shell command:";
  }
  if (created->is_list) {
    text += "\n\n" + core::fenced("json", call.arguments);
  } else {
    text += "\n\n" + core::fenced("sh", created->command);
    if (!created->others.empty()) {
      text += "\n\n" + core::fenced("json", boost::json::serialize(created->others));
    }
  }
  const std::string touches = touch_text(explained, Language::english);
  if (!touches.empty()) text += "\n\n" + touches;
  return text;
}

// The action for which decisions about the like are found; std::nullopt: it is too long.
std::optional<session::Action> asked_action(const Run& run, const model::ToolCall& call,
                                            const std::optional<ShellCall>& created) {
  using session::ActionKind;
  const bool is_command = created && created->is_certain;
  session::Action action{"run:" + run.agent, call.name,
                         is_command ? ActionKind::command : ActionKind::call,
                         is_command ? created->command : call.arguments};
  const bool is_short =
      action.subject.size() <= core::limits::kMaxActionSubject &&
      std::max(action.agent.size(), action.tool.size()) <= core::limits::kMaxActionName;
  if (!is_short || action.subject.empty()) return std::nullopt;
  return action;
}

}  // namespace

std::string approval_key(std::string_view run_id, std::string_view call_id) {
  return call_key(run_id, "approval", call_id);
}

ApprovalQuestion approval_question(const Run& run, const model::ToolCall& call,
                                   std::string_view source) {
  PARLEY_ASSERT(call.arguments.size() <= kMaxAskedBytes, "a person is asked about all arguments");
  const std::optional<ShellCall> created = shell_call(call, source);
  const shell::Explanation explained =
      created ? shell::explain(created->command, {run.working_folder, {}}) : shell::Explanation{};
  ApprovalQuestion asked;
  if (created) asked.explanation = explanation_json(*created, explained);
  session::Prompt& prompt = asked.prompt;
  prompt.text = asked_text(call, created, explained);
  prompt.project_directory = run.working_folder;
  prompt.agent_name = run.agent;
  prompt.model_name = run.model;
  prompt.client_name = "parley run";
  prompt.arguments_sha256 = core::sha256_hex(call.arguments);
  prompt.action = asked_action(run, call, created);
  core::JsonWriter json(prompt.detail);
  json.begin_object().key("tool_approval").begin_object();
  json.key("name").string(call.name).key("source").string(source).key("arguments");
  if (is_json_object(call.arguments)) {
    json.raw(call.arguments);
  } else {
    json.string(call.arguments);
  }
  json.key("run_id").string(run.id).key("call_id").string(call.id);
  json.key("session_id").string(run.session);
  if (!asked.explanation.empty()) json.key("explanation").raw(asked.explanation);
  json.end_object().end_object();
  return asked;
}

}  // namespace parley::run
