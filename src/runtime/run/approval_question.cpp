// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/approval_question.h"

#include <simdjson.h>

#include "core/json_writer.h"
#include "core/utf8.h"
#include "runtime/run/run_interactions.h"

namespace parley::run {
namespace {

// Limit of the arguments that are shown to a person, in bytes.
constexpr std::size_t kMaxShownBytes = 16U << 10U;

bool is_json_object(const std::string& text) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  return parser.parse(text).get(object) == simdjson::SUCCESS;
}

std::string shown(const std::string& arguments) {
  if (arguments.size() <= kMaxShownBytes) return arguments;
  return std::string(core::utf8_truncate(arguments, kMaxShownBytes)) + " ...";
}

}  // namespace

std::string approval_key(std::string_view run_id, std::string_view call_id) {
  return call_key(run_id, "approval", call_id);
}

session::Prompt approval_prompt(const Run& run, const model::ToolCall& call,
                                std::string_view source) {
  session::Prompt prompt;
  prompt.text = "Allow `" + call.name + "` to run?\n\n```json\n" + shown(call.arguments) + "\n```";
  prompt.project_directory = run.working_folder;
  prompt.agent_name = run.agent;
  prompt.model_name = run.model;
  prompt.client_name = "parley run";
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
  json.end_object().end_object();
  return prompt;
}

}  // namespace parley::run
