// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "demo_model/progress.h"
#include "runtime/model/model.h"

// What the demonstration says. Deterministic: the same request gives the same reply.
namespace parley::demo_model {

struct Answer {
  std::string reasoning;
  std::string text;
  std::vector<model::ToolCall> calls;  // without ids
};

// The reply to a request: the next calls, or what came of them in words.
Answer answer_to(const model::ModelRequest& request);

// The same for how far a request was done; `tools` are named where nothing else can be said.
Answer answer_of(const Progress& progress, const std::vector<model::ToolSpec>& tools);

// What was done and what it brought, in the person's language.
std::string report(const Progress& progress, const std::vector<model::ToolSpec>& tools);

// A piece of a longer text as a block of code.
std::string block(std::string_view text, Language language);

std::string either(Language language, std::string_view english, std::string_view chinese);

}  // namespace parley::demo_model
