// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/mcp_transcript.h"

#include <string_view>

#include "agents/mcp/resource_name.h"
#include "base/core/time_text.h"

namespace parley::app {
namespace {

using session::Content;
using session::InteractionKind;

std::string_view heading_of(InteractionKind kind) {
  switch (kind) {
    case InteractionKind::question:
      return "Question";
    case InteractionKind::task_finish:
      return "Report";
    case InteractionKind::tool_approval:
      return "Approval of a tool";
    case InteractionKind::client_tool_call:
    case InteractionKind::ui_tool_call:
      break;
  }
  return "Call of a tool";
}

void append_heading(std::string& out, std::string_view what, std::string_view by,
                    core::WallTime at) {
  if (!out.empty()) out += "\n";
  out.append(what);
  if (!by.empty()) out.append(" of ").append(by);
  out.append(", ").append(core::time_text(at)).append("\n");
}

void append_paragraph(std::string& out, std::string_view text) {
  if (text.empty()) return;
  out.append("\n").append(text);
  if (!text.ends_with('\n')) out.push_back('\n');
}

void append_question(std::string& out, const session::Question& question) {
  append_paragraph(out, question.text);
  if (!question.choices.empty()) out.push_back('\n');
  for (const session::Choice& choice : question.choices) {
    out.append("- ").append(choice.label);
    if (!choice.description.empty()) out.append(": ").append(choice.description);
    out.push_back('\n');
  }
}

void append_answer(std::string& out, const session::Interaction& interaction) {
  std::size_t number = 0;
  for (const Content& content : interaction.outcome.answer.contents) {
    if (content.type == Content::Type::text) {
      append_paragraph(out, content.text);
      continue;
    }
    const std::string& mime = content.mime_type;
    std::string uri = content.uri;
    if (!content.data.empty()) {
      uri = mcp::uri_of({mcp::ResourceKind::attachment, interaction.key, ++number});
    }
    append_paragraph(out, "[" + (mime.empty() ? "attachment" : mime) + "](" + uri + ")");
  }
}

std::string_view role_name(model::Role role) {
  switch (role) {
    case model::Role::user:
      return "User";
    case model::Role::assistant:
      return "Assistant";
    case model::Role::tool:
      return "Tool";
    case model::Role::system:
      break;
  }
  return "System";
}

// A block of code whose fence is longer than every fence in the text.
void append_block(std::string& out, std::string_view text) {
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) fence.push_back('`');
  out.append("\n").append(fence).append("\n").append(text);
  if (!text.ends_with('\n')) out.push_back('\n');
  out.append(fence).append("\n");
}

}  // namespace

std::vector<const Content*> attachments_of(const session::Interaction& interaction) {
  std::vector<const Content*> found;
  for (const Content& content : interaction.outcome.answer.contents) {
    if (content.type != Content::Type::text && !content.data.empty()) found.push_back(&content);
  }
  return found;
}

void append_interaction(std::string& out, const session::Interaction& interaction) {
  const session::Prompt& prompt = interaction.prompt;
  append_heading(out, "## " + std::string(heading_of(interaction.kind)), prompt.agent_name,
                 interaction.opened_at);
  append_paragraph(out, prompt.text);
  for (const session::Question& question : prompt.questions) append_question(out, question);
  if (!prompt.detail.empty()) append_block(out, prompt.detail);
  const session::Outcome& outcome = interaction.outcome;
  switch (interaction.state) {
    case session::InteractionState::pending:
      append_paragraph(out, "*Waiting for an answer.*");
      return;
    case session::InteractionState::answered:
      append_heading(out, "### Answer", session::name_of_answerer(outcome), outcome.at);
      append_answer(out, interaction);
      return;
    case session::InteractionState::cancelled:
      append_heading(out, "### Cancelled", session::name_of_answerer(outcome), outcome.at);
      append_paragraph(out, outcome.reason);
      return;
    case session::InteractionState::expired:
      append_heading(out, "### Expired", {}, outcome.at);
      append_paragraph(out, outcome.reason);
      return;
  }
}

void append_message(std::string& out, const model::Message& message) {
  if (message.role == model::Role::system) return;
  if (!out.empty()) out += "\n";
  out.append("## ").append(role_name(message.role)).append("\n");
  if (message.role == model::Role::tool) {
    append_block(out, message.content);
    return;
  }
  append_paragraph(out, message.content);
  for (const model::Part& part : message.parts) {
    if (part.type == model::Part::Type::text) continue;  // also in the content
    std::string what = part.name.empty() ? part.media_type : part.name;
    if (what.empty()) what = part.url.empty() ? "attachment" : part.url;
    append_paragraph(out, "*Attached: " + what + "*");
  }
  for (const model::ToolCall& call : message.tool_calls) {
    append_paragraph(out, "Call of the tool `" + call.name + "`:");
    append_block(out, call.arguments);
  }
}

}  // namespace parley::app
