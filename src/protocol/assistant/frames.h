// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/clock.h"
#include "protocol/assistant/codec.h"
#include "session/interaction.h"
#include "session/participant.h"

namespace parley::assistant {

// Which clients speak: those of the first generation say TaskFinish, later ones WorkReport.
enum class Generation : std::uint8_t { unknown, first, second, third };

// "1", "2" or "3".
std::optional<Generation> generation_from(std::string_view text);

// How a task-finish interaction is named in a frame. Questions are named alike in all of them.
enum class Spelling : std::uint8_t { task_finish, work_report };

// The kind as which user interfaces see an interaction: a tool_approval is a question to them, with
// the choices Allow and Deny. nullopt: this dialect cannot show it.
std::optional<session::InteractionKind> shown_kind(session::InteractionKind kind);

// In which spellings an interaction is shown to a client: one, or both while its generation is
// unknown (contract section 1, way b). Empty for kinds that this dialect cannot show.
std::span<const Spelling> spellings_for(session::InteractionKind kind, Generation generation);

// The same of its end. RequestCancelled has one name in all generations, so it is said once; to a
// client of unknown generation its message_type is that of the later ones.
std::span<const Spelling> closed_spellings_for(const session::Interaction& interaction,
                                               Generation generation);

// "AskQuestion", "TaskFinish", "WorkReport": the Cmd of the question, and its message_type.
std::string_view kind_cmd(session::InteractionKind kind, Spelling spelling);

// The question to the user interfaces.
pb::WebsocketMessage ask_frame(const session::Interaction& interaction, Spelling spelling);
// Its end: a ...ReplyNotification, or RequestCancelled if nobody answered.
pb::WebsocketMessage closed_frame(const session::Interaction& interaction, Spelling spelling);
pb::PendingMessage pending_entry(const session::Interaction& interaction, Spelling spelling);

pb::OnlineUser online_user(const session::ParticipantInfo& info);
// `connected`: joined, or renamed (existing clients know no other word for it).
pb::WebsocketMessage presence_frame(const session::ParticipantInfo& who, bool connected,
                                    core::WallTime at);
pb::WebsocketMessage chat_frame(const session::DirectMessage& message);
pb::WebsocketMessage login_frame(std::string_view client_id, std::string_view server_version);
pb::WebsocketMessage login_refused_frame(std::string_view message);

}  // namespace parley::assistant
