// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "session/shown.h"

#include <string_view>

#include "core/sha256.h"
#include "session/approval.h"

namespace parley::session {
namespace {

void add_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(" ").append(std::to_string(value.size())).append("\n");
  out.append(value).append("\n");
}

std::string text_of(const Prompt& prompt) {
  std::string out;
  out.reserve(bytes_of(prompt));
  add_field(out, "text", prompt.text);
  for (const Question& question : prompt.questions) {
    add_field(out, "header", question.header);
    add_field(out, "question", question.text);
    for (const Choice& choice : question.choices) {
      add_field(out, "choice", choice.label);
      add_field(out, "description", choice.description);
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
