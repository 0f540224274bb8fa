// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/demo_model/request.h"
#include "runtime/model/model.h"

// The progress of a request in a conversation, and the demonstration's reply to it. Deterministic:
// the same request gives the same reply.
namespace parley::demo_model {

struct Result {
  std::string call;  // TOOL {json}
  std::string text;
  bool failed = false;
};

// Outcome of a step. A step without results was not understood, has no matching tool, or is talk.
struct Outcome {
  std::string tool;
  std::vector<Result> results;
  bool failed = false;
};

struct Progress {
  Request request;
  std::vector<Outcome> outcomes;  // of the first steps; ends at a failed one
  // Calls for the step after these; empty: no further step can be done.
  std::vector<model::ToolCall> next;
};

struct Answer {
  std::string reasoning;
  std::string text;
  std::vector<model::ToolCall> calls;  // without ids
};

struct Phrase {
  const char* english;
  const char* chinese;
  // The text with `values` in place of $0, $1, ..., which must occur in this order.
  std::string in(Language language, const std::vector<std::string>& values = {}) const;
};

// Text of the user's last message with a request.
std::string_view asked_in(const model::ModelRequest& request);

// Follows the steps of `text` through the calls after the last request of the conversation.
// `before`: the meaning of "it" in the first step.
Progress walk(std::string_view text, const model::ModelRequest& conversation,
              std::string before = {});

Answer answer_to(const model::ModelRequest& request);

// The next calls, or the outcome of the steps; names `tools` if a step is not understood.
Answer answer_of(const Progress& progress, const std::vector<model::ToolSpec>& tools);

// The reply to the agents' own prompts (agent/prompts.h). std::nullopt if the request has no line
// "[parley:task NAME]" in its last system message, or an unknown name.
std::optional<Answer> answer_task(const model::ModelRequest& request);

// At most `limit` bytes of a text; "..." marks the cut.
std::string cut(std::string_view text, std::size_t limit);

}  // namespace parley::demo_model
