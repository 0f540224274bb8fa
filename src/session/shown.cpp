// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "session/shown.h"

#include "core/hashed_field.h"
#include "core/sha256.h"
#include "session/approval.h"

namespace parley::session {
namespace {

std::string text_of(const Prompt& prompt) {
  std::string out;
  out.reserve(bytes_of(prompt));
  core::append_hashed_field(out, "text", prompt.text);
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
  if (interaction.kind != InteractionKind::tool_approval) return text_of(interaction.prompt);
  return text_of(shown_approval(interaction.prompt));
}

std::string shown_digest(const Interaction& interaction) {
  return core::sha256_hex(shown_text(interaction));
}

core::Result<void> check_shown(const Interaction& interaction, Shown& shown) {
  if (shown.told == Shown::Told::nothing) return {};
  std::string digest = shown_digest(interaction);
  if (shown.told == Shown::Told::by_client && shown.sha256 != digest) {
    return core::fail(core::Code::failed_precondition,
                      "The text changed since it was shown. Look at it again, then answer.",
                      "shown");
  }
  shown.sha256 = std::move(digest);
  return {};
}

}  // namespace parley::session
