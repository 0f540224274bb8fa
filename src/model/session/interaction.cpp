// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/interaction.h"

#include <openssl/evp.h>

#include <array>

#include "base/core/hex.h"
#include "base/core/json_writer.h"

namespace parley::session {
namespace {

constexpr std::array<std::string_view, 5> kKindNames = {"question", "task_finish", "tool_approval",
                                                        "client_tool_call", "ui_tool_call"};
constexpr std::array<std::string_view, 4> kStateNames = {"pending", "answered", "cancelled",
                                                         "expired"};
constexpr std::size_t kFingerprintBytes = 16;

template <typename Enum, std::size_t N>
std::optional<Enum> from_name(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names.at(i) == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

// Adds a field with its length, so that no two different sequences of fields are equal.
void add_field(EVP_MD_CTX* digest, std::string_view field) {
  const std::uint64_t size = field.size();
  EVP_DigestUpdate(digest, &size, sizeof(size));
  EVP_DigestUpdate(digest, field.data(), field.size());
}

}  // namespace

std::string_view kind_name(InteractionKind kind) {
  return kKindNames.at(static_cast<std::size_t>(kind));
}

std::string_view state_name(InteractionState state) {
  return kStateNames.at(static_cast<std::size_t>(state));
}

std::optional<InteractionKind> kind_from_name(std::string_view name) {
  return from_name<InteractionKind>(kKindNames, name);
}

std::optional<InteractionState> state_from_name(std::string_view name) {
  return from_name<InteractionState>(kStateNames, name);
}

std::size_t bytes_of(const Prompt& prompt) {
  std::size_t bytes = sizeof(Prompt) + prompt.text.size() + prompt.project_directory.size() +
                      prompt.agent_name.size() + prompt.model_name.size() +
                      prompt.client_name.size() + prompt.detail.size() +
                      prompt.arguments_sha256.size();
  if (prompt.action) {
    bytes +=
        prompt.action->agent.size() + prompt.action->tool.size() + prompt.action->subject.size();
  }
  for (const Question& question : prompt.questions) {
    bytes += sizeof(Question) + question.text.size() + question.header.size();
    for (const Choice& choice : question.choices) {
      bytes += sizeof(Choice) + choice.label.size() + choice.description.size();
    }
  }
  return bytes;
}

std::string fingerprint(InteractionKind kind, const Prompt& prompt) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest(EVP_MD_CTX_new(),
                                                                       &EVP_MD_CTX_free);
  EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr);
  add_field(digest.get(), kind_name(kind));
  for (const std::string* field : {&prompt.text, &prompt.project_directory, &prompt.agent_name,
                                   &prompt.model_name, &prompt.client_name, &prompt.detail}) {
    add_field(digest.get(), *field);
  }
  // Requests of before this field keep their fingerprint.
  if (!prompt.arguments_sha256.empty()) add_field(digest.get(), prompt.arguments_sha256);
  for (const Question& question : prompt.questions) {
    add_field(digest.get(), std::to_string(question.choices.size()));
    add_field(digest.get(), question.text);
    add_field(digest.get(), question.header);
    add_field(digest.get(), question.multiple ? "multiple" : "single");
    add_field(digest.get(), question.custom ? "custom" : "closed");
    for (const Choice& choice : question.choices) {
      add_field(digest.get(), choice.label);
      add_field(digest.get(), choice.description);
    }
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  EVP_DigestFinal_ex(digest.get(), hash.data(), &size);
  return core::hex_of_digest(hash, kFingerprintBytes);
}

const std::string& name_of_answerer(const Outcome& outcome) {
  return outcome.by.holder.name.empty() ? outcome.nickname : outcome.by.holder.name;
}

event::InteractionChange opening_of(const Interaction& interaction,
                                    const std::string& fingerprint) {
  event::InteractionChange change;
  change.key = interaction.key;
  change.id = interaction.id;
  change.kind = kind_name(interaction.kind);
  change.fingerprint = fingerprint;
  change.deadline = interaction.deadline;
  change.in_inbox = interaction.in_inbox;
  return change;
}

event::InteractionChange ending_of(const Interaction& closed) {
  event::InteractionChange change;
  change.key = closed.key;
  change.id = closed.id;
  change.state = state_name(closed.state);
  return change;
}

core::Result<Answer> answer_of(const Interaction& closed) {
  switch (closed.state) {
    case InteractionState::answered:
      return closed.outcome.answer;
    case InteractionState::expired:
      return core::fail(core::Code::deadline_exceeded, "Nobody answered in time.");
    case InteractionState::cancelled:
      return core::fail(core::Code::cancelled, closed.outcome.reason.empty()
                                                   ? "The question was cancelled."
                                                   : closed.outcome.reason);
    case InteractionState::pending:
      break;
  }
  return core::fail(core::Code::internal, "The question has no outcome.");
}

}  // namespace parley::session
