// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "agentassist.pb.h"
#include "base/core/result.h"
#include "model/session/interaction.h"

namespace parley::assistant {

namespace pb = agentassistproto;

// Conversion between bytes and messages, and between messages and the model. Pure functions: no
// state, no I/O.

// Wire form of a message. Deterministic: fields in order of number, maps in order of key.
std::string encode(const google::protobuf::MessageLite& message);
// Errors: `invalid_argument` (not a WebsocketMessage, or one of its strings is not UTF-8).
core::Result<pb::WebsocketMessage> decode_frame(std::string_view bytes);

// Errors: `invalid_argument` (more questions, or choices of one, than core::limits allows).
core::Result<void> check_questions(const pb::McpAskQuestionRequest& request);
session::Prompt prompt_of(const pb::McpAskQuestionRequest& request);
session::Prompt prompt_of(const pb::McpTaskFinishRequest& request);
// UserToken is never written: a token must not reach a user interface.
pb::McpAskQuestionRequest question_request(const session::Prompt& prompt);
pb::McpTaskFinishRequest report_request(const session::Prompt& prompt);

// Errors: `invalid_argument` naming the content at fault: an unknown type, a missing part, or data
// that is not base64. The type of a content with type 0 is that of the part that it has.
core::Result<session::Answer> answer_of(const pb::AskQuestionResponse& response);
core::Result<session::Answer> answer_of(const pb::TaskFinishResponse& response);

// The two response messages are identical on the wire and in JSON; RPC answers use the first for
// both.
pb::AskQuestionResponse question_response(std::string_view id, const session::Answer& answer);
pb::TaskFinishResponse report_response(std::string_view id, const session::Answer& answer);

// Result for the agent of a closed interaction: the answer, or an error result with the reason in
// a text content and in Meta.error / Meta.message (contract decision 4, table 2.5).
session::Answer result_of(const session::Interaction& interaction);
// An error result of that form.
session::Answer error_result(std::string_view code, std::string_view message);

// Names of meta fields of Parley's own clients. Taken out of a page's answer: the SHA-256 of the
// text that the page showed (model/session/shown.h).
inline constexpr std::string_view kShownMeta = "parley.shown_sha256";
// Added to the result for a caller that told the SHA-256 of the arguments of its tool call.
inline constexpr std::string_view kArgumentsMeta = "parley.arguments_sha256";
// Added to the answer that a page of Parley is told: the way by which it came (docs/events.md).
inline constexpr std::string_view kChannelMeta = "parley.channel";
session::Shown take_shown(session::Answer& answer);

// A sentence about an interaction that ended without an answer.
std::string reason_of(const session::Interaction& interaction);

}  // namespace parley::assistant
