// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/approval_question.h"

#include <simdjson.h>

#include "core/assert.h"
#include "core/json_writer.h"
#include "runtime/run/run_interactions.h"

namespace parley::run {
namespace {

bool is_json_object(const std::string& text) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  return parser.parse(text).get(object) == simdjson::SUCCESS;
}

}  // namespace

std::string approval_key(std::string_view run_id, std::string_view call_id) {
  return call_key(run_id, "approval", call_id);
}

session::Prompt approval_prompt(const Run& run, const model::ToolCall& call,
                                std::string_view source) {
  PARLEY_ASSERT(call.arguments.size() <= kMaxAskedBytes, "a person is asked about all arguments");
  session::Prompt prompt;
  prompt.text = "Allow `" + call.name + "` to run?\n\n```json\n" + call.arguments + "\n```";
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
