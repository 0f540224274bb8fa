// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "dialects/assistant/codec.h"
#include "model/session/interaction.h"
#include "model/session/participant.h"

namespace parley::assistant {

// The whole request as one text, for clients that show no structured questions (generations 1 and
// 2): its text, the questions that the text does not contain, the choices of each, and how to
// answer. Equals `prompt.text` if there is nothing to choose.
std::string question_in_words(const session::Prompt& prompt);

// Generations of clients: the first sends TaskFinish, later ones send WorkReport.
enum class Generation : std::uint8_t { unknown, first, second, third };

// Reads "1", "2" or "3".
std::optional<Generation> generation_from(std::string_view text);

// Name of a task-finish interaction in a frame. Questions have the same name in all generations.
enum class Spelling : std::uint8_t { task_finish, work_report };

// How a structured question is sent: as it is, or with field 2 (its text) telling all of it, for
// clients that show nothing else.
enum class QuestionForm : std::uint8_t { structured, in_words };

// The name of the person who answered: as its client gave it, which existing clients expect, or
// that of its token or device.
enum class Naming : std::uint8_t { nickname, holder };

// True if the two forms of the interaction differ.
bool has_choices(const session::Interaction& interaction);

// Kind as which user interfaces see an interaction: a tool_approval is shown as a question with
// the choices Allow and Deny. std::nullopt: this dialect cannot show it.
std::optional<session::InteractionKind> shown_kind(session::InteractionKind kind);

// Spellings in which an interaction is sent to a client: one, or both while its generation is
// unknown (contract section 1, way b). Empty for kinds that this dialect cannot show.
std::span<const Spelling> spellings_for(session::InteractionKind kind, Generation generation);

// Spellings in which the end of an interaction is sent. RequestCancelled has one name in all
// generations, so it is sent once; for a client of unknown generation it has the message_type of
// the later generations.
std::span<const Spelling> closed_spellings_for(const session::Interaction& interaction,
                                               Generation generation);

// Cmd of the question and its message_type: "AskQuestion", "TaskFinish" or "WorkReport".
std::string_view kind_cmd(session::InteractionKind kind, Spelling spelling);

// The frame that shows a question to user interfaces.
pb::WebsocketMessage ask_frame(const session::Interaction& interaction, Spelling spelling,
                               QuestionForm form);
// The frame that shows an approval again, after an answer that decided nothing. Pages have marked
// its card as answered, so the frame needs another ID (again_id()).
pb::WebsocketMessage ask_again_frame(const session::Interaction& approval, std::string_view answer,
                                     QuestionForm form);
// ID of the next card of the interaction whose card `id` was: KEY, KEY/again/1, KEY/again/2.
std::string again_id(std::string_view id);
// The key of a card's ID; the ID itself if it is not one of again_id().
std::string_view key_of_again(std::string_view id);
// The frame that ends a question: a ...ReplyNotification, or RequestCancelled if there was no
// answer.
pb::WebsocketMessage closed_frame(const session::Interaction& interaction, Spelling spelling,
                                  QuestionForm form, Naming naming);
pb::PendingMessage pending_entry(const session::Interaction& interaction, Spelling spelling,
                                 QuestionForm form);

pb::OnlineUser online_user(const session::ParticipantInfo& info);
// `connected`: joined, or renamed, because existing clients have no other frame for a new name.
pb::WebsocketMessage presence_frame(const session::ParticipantInfo& who, bool connected,
                                    core::WallTime at);
pb::WebsocketMessage chat_frame(const session::DirectMessage& message);
pb::WebsocketMessage login_frame(std::string_view client_id, std::string_view server_version);
pb::WebsocketMessage login_refused_frame(std::string_view message);

}  // namespace parley::assistant
