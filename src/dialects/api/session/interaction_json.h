// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "model/event/session_store.h"
#include "model/session/session.h"

namespace parley::api {

// Writes an interaction in the API's form (schema Interaction of docs/openapi.json), from its
// stored form. Errors: `data_loss`; then nothing is written.
core::Result<void> write_interaction(core::JsonWriter& json,
                                     const event::StoredInteraction& stored);
void write_interaction(core::JsonWriter& json, const session::Interaction& interaction);

struct AskInput {
  session::AskRequest request;
  core::Millis wait{0};  // longest delay of the answer to this request
};

// Parsers of the bodies of POST /v1/interactions, .../answer and .../cancel, and of POST
// /v1/notices. `by`: the asker. Errors: `invalid_argument`.
core::Result<AskInput> read_ask(std::string_view body, session::Authority by);

// The body of POST /v1/notices.
struct NoticeInput {
  session::AskRequest request;  // without its key
  std::string kind = {};
  std::string replace = {};
};
core::Result<NoticeInput> read_notice(std::string_view body, session::Authority by);

struct AnswerInput {
  session::Answer answer;
  session::ActorName actor;
  session::Shown shown;
};
core::Result<AnswerInput> read_answer(std::string_view body);

struct CancelInput {
  std::string reason;
  session::ActorName actor;
};
core::Result<CancelInput> read_cancel(std::string_view body);

}  // namespace parley::api
