// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/chat_events.h"

#include <simdjson.h>

#include <utility>

#include "base/core/json_member.h"
#include "base/core/json_writer.h"

namespace parley::chat {
namespace {

constexpr std::string_view kUserRole = "USER";
constexpr std::string_view kOrderRole = "USER_ORDER";

}  // namespace

std::string request_payload(const ChatRequest& request) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("request_id").string(request.request_id);
  json.key("run_id").string(request.run_id);
  json.key("role").string(request.is_order ? kOrderRole : kUserRole);
  json.key("content").string(request.content);
  if (!request.attachments.empty()) {
    json.key("attachments").begin_array();
    for (const std::string& name : request.attachments) json.string(name);
    json.end_array();
  }
  if (!request.continues.empty()) json.key("continues").string(request.continues);
  if (!request.replaces.empty()) json.key("replaces").string(request.replaces);
  json.end_object();
  return out;
}

std::string command_payload(const ChatCommand& command) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("request_id").string(command.request_id);
  json.key("content").string(command.content).key("reply").string(command.reply).end_object();
  return out;
}

ChatRequest read_request(const event::Event& event) {
  ChatRequest out;
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(event.payload).get(object) != simdjson::SUCCESS) return out;
  out.request_id = core::string_member(object, "request_id");
  out.run_id = core::string_member(object, "run_id");
  out.is_order = core::string_member(object, "role") == kOrderRole;
  out.content = core::string_member(object, "content");
  out.continues = core::string_member(object, "continues");
  out.replaces = core::string_member(object, "replaces");
  simdjson::dom::array attachments;
  if (object["attachments"].get(attachments) != simdjson::SUCCESS) return out;
  for (const simdjson::dom::element one : attachments) {
    std::string_view name;
    if (one.get(name) == simdjson::SUCCESS) out.attachments.emplace_back(name);
  }
  return out;
}

std::optional<WaitingTool> waiting_tool(const session::Interaction& interaction) {
  using session::InteractionKind;
  const bool of_client = interaction.kind == InteractionKind::client_tool_call;
  if (!of_client && interaction.kind != InteractionKind::tool_approval) return std::nullopt;
  simdjson::dom::parser parser;
  simdjson::dom::object detail;
  simdjson::dom::object call;
  simdjson::dom::element arguments;
  if (parser.parse(interaction.prompt.detail).get(detail) != simdjson::SUCCESS ||
      detail[of_client ? "client_tool_call" : "tool_approval"].get(call) != simdjson::SUCCESS ||
      call["arguments"].get(arguments) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  WaitingTool out;
  out.key = interaction.key;
  out.call_id = core::string_member(call, "call_id");
  out.name = core::string_member(call, "name");
  out.run_id = core::string_member(call, "run_id");
  out.source = core::string_member(call, "source");
  out.arguments = simdjson::minify(arguments);
  simdjson::dom::object explanation;
  if (call["explanation"].get(explanation) == simdjson::SUCCESS) {
    out.explanation = simdjson::minify(explanation);
  }
  out.of_client = of_client;
  return out;
}

std::string question_text(const session::Prompt& prompt) {
  std::string out = prompt.text;
  for (const session::Question& question : prompt.questions) {
    if (question.text != prompt.text) out += "\n\n" + question.text;
    if (!question.choices.empty()) out += "\n";
    for (const session::Choice& choice : question.choices) {
      out += "\n- " + choice.label;
      if (!choice.description.empty()) out += ": " + choice.description;
    }
    if (question.multiple) out += "\n\nSeveral may be chosen.";
  }
  return out + "\n\nThe next message is the answer.";
}

}  // namespace parley::chat
