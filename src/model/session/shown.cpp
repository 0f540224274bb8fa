// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/shown.h"

#include "base/core/hashed_field.h"
#include "base/core/sha256.h"
#include "model/session/approval.h"

namespace parley::session {
namespace {

// The text of Parley's own cards: without one of its own a prompt has that of its first question.
std::string text_of(const Prompt& prompt, bool is_question) {
  std::string out;
  out.reserve(bytes_of(prompt));
  const bool has_text = !prompt.text.empty() || !is_question || prompt.questions.empty();
  core::append_hashed_field(out, "text", has_text ? prompt.text : prompt.questions.front().text);
  if (!is_question) return out;
  for (const Question& question : prompt.questions) {
    core::append_hashed_field(out, "header", question.header);
    core::append_hashed_field(out, "question", question.text);
    for (const Choice& choice : question.choices) {
      core::append_hashed_field(out, "choice", choice.label);
      core::append_hashed_field(out, "description", choice.description);
    }
  }
  return out;
}

}  // namespace

std::string shown_text(const Interaction& interaction) {
  if (interaction.kind == InteractionKind::tool_approval) {
    return text_of(shown_approval(interaction.prompt), true);
  }
  return text_of(interaction.prompt, interaction.kind != InteractionKind::task_finish);
}

std::string shown_digest(const Interaction& interaction) {
  return core::sha256_hex(shown_text(interaction));
}

core::Result<void> check_shown(const Interaction& interaction, Shown& shown) {
  if (shown.source == Shown::Source::nothing) return {};
  std::string digest = shown_digest(interaction);
  if (shown.source == Shown::Source::by_client && shown.sha256 != digest) {
    return core::fail(core::Code::failed_precondition,
                      "The text changed since it was shown. Look at it again, then answer.",
                      "shown");
  }
  shown.sha256 = std::move(digest);
  return {};
}

}  // namespace parley::session
