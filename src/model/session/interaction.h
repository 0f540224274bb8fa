// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/question.h"
#include "base/core/result.h"
#include "model/event/session_store.h"
#include "model/session/action.h"
#include "model/session/gate.h"

namespace parley::session {

// The kind of a request. Every kind has the same life cycle; a dialect shows it in its own form.
enum class InteractionKind : std::uint8_t {
  question,
  task_finish,  // "the task is done: confirm, or say what is missing" (also named work report)
  tool_approval,
  client_tool_call,
  ui_tool_call,
};

// pending -> answered | cancelled | expired. The last three are final.
enum class InteractionState : std::uint8_t { pending, answered, cancelled, expired };

std::string_view kind_name(InteractionKind kind);     // "question", "task_finish", ...
std::string_view state_name(InteractionState state);  // "pending", ...
std::optional<InteractionKind> kind_from_name(std::string_view name);
std::optional<InteractionState> state_from_name(std::string_view name);

using core::Answer;
using core::Choice;
using core::Content;
using core::Question;

// The asker's request. Neutral: each dialect maps its own request to it and back.
struct Prompt {
  std::string text;  // the question, or the summary of the finished work
  std::string project_directory;
  std::string agent_name;
  std::string model_name;
  std::string client_name;  // the MCP client or program that the agent runs in
  std::vector<Question> questions;
  std::int32_t timeout_s = 0;  // as the asker wrote it; 0: not given
  // JSON object with the members of this kind only (a tool's name and arguments); empty: none.
  std::string detail;
  // SHA-256 of the arguments of the tool call that is asked about, as the agent sent them, in
  // hexadecimal digits; empty: not told.
  std::string arguments_sha256;
  // Named by askers that ask for a permission; of older events absent. No part of fingerprint().
  std::optional<Action> action = std::nullopt;
  bool operator==(const Prompt&) const = default;
};

// Number of bytes of a prompt in memory.
std::size_t bytes_of(const Prompt& prompt);

// The end of an interaction.
struct Outcome {
  Answer answer;          // if answered
  std::string reason;     // if cancelled or expired: a sentence
  std::string client_id;  // of the participant that ended it; empty: none did (deadline, caller)
  std::string nickname;   // as that participant names itself
  Answerer by;            // as the server knows it
  Shown shown;            // of an answer
  core::WallTime at;
};

struct Interaction {
  std::string id;   // a UUIDv7, made here
  std::string key;  // the asker's own id
  std::string session;
  Asker asker;
  // The people of the session's owner are asked: its inbox (workspace.h) shows the interaction.
  bool in_inbox = false;
  InteractionKind kind = InteractionKind::question;
  InteractionState state = InteractionState::pending;
  Prompt prompt;
  core::WallTime opened_at;
  core::WallTime deadline;
  std::uint64_t opened_seq = 0;
  std::uint64_t closed_seq = 0;
  std::string opened_sha256;  // SHA-256 of the payload of the event that opened it
  Outcome outcome;            // only if not pending
};

using InteractionPtr = std::shared_ptr<const Interaction>;

// The name to show for the one that ended an interaction: that of its token or device; of older
// events the nickname. Empty: nobody did.
const std::string& name_of_answerer(const Outcome& outcome);

// A short stable text: equal for equal requests (kind and prompt but `action`), and different for
// different ones but for a hash collision.
std::string fingerprint(InteractionKind kind, const Prompt& prompt);

// The answer of a closed interaction. Errors: `deadline_exceeded` (it expired), `cancelled`.
core::Result<Answer> answer_of(const Interaction& closed);

// The changes that the store receives with the events that open and close an interaction.
event::InteractionChange opening_of(const Interaction& interaction, const std::string& fingerprint);
event::InteractionChange ending_of(const Interaction& closed);

// The stored forms: payloads of the events `interaction.opened` and `interaction.closed`
// (docs/events.md). Reading ignores unknown members and fails with `data_loss`, naming the field,
// on a member of a wrong form.
std::string opened_payload(const Interaction& interaction);
std::string closed_payload(const Interaction& interaction);
core::Result<Interaction> interaction_from_payloads(std::string_view opened,
                                                    std::string_view closed);
// True for the opening of an interaction that shows one of another session in the inbox, as servers
// before version 6 of the store opened them for each approval of a run.
bool is_mirror(std::string_view opened_payload);

}  // namespace parley::session
