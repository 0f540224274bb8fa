// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "demo_model/request.h"
#include "runtime/model/model.h"

// The progress of a request in a conversation, and the reply of the demonstration to it.
// Deterministic: the same request gives the same reply.
namespace parley::demo_model {

struct Result {
  std::string call;  // TOOL {json}
  std::string text;
  bool failed = false;
};

// The outcome of a step. A step without results was not understood, no tool fits, or it is talk.
struct Outcome {
  std::string tool;
  std::vector<Result> results;
  bool failed = false;
};

struct Progress {
  Request request;
  std::vector<Outcome> outcomes;      // of the first steps; ends at one that failed
  std::vector<model::ToolCall> next;  // for the step after these; empty: no more can be done
};

struct Answer {
  std::string reasoning;
  std::string text;
  std::vector<model::ToolCall> calls;  // without ids
};

struct Phrase {
  const char* english;
  const char* chinese;
  // The text with the values in the places of $0, $1, ..., which stand in this order.
  std::string in(Language language, const std::vector<std::string>& values = {}) const;
};

// The text of the last message of the user that asks for something.
std::string_view asked_in(const model::ModelRequest& request);

// Follows the steps of `text` through the calls after the last request of the conversation.
// `before`: what "it" means in the first step.
Progress walk(std::string_view text, const model::ModelRequest& conversation,
              std::string before = {});

Answer answer_to(const model::ModelRequest& request);

// The next calls, or what came of the steps; `tools` are named where one is not understood.
Answer answer_of(const Progress& progress, const std::vector<model::ToolSpec>& tools);

// The reply to what agents ask beside the work itself (agent/prompts.h). Nothing: the request has
// no line "[parley:task NAME]" in its last system message, or an unknown name.
std::optional<Answer> answer_task(const model::ModelRequest& request);

// At most `limit` bytes of a text; "..." stands for the rest.
std::string cut(std::string_view text, std::size_t limit);

}  // namespace parley::demo_model
