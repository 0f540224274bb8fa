// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/model.h"
#include "runtime/model/offline_walk.h"

// What the demonstration model says. Deterministic: the same request gives the same reply.
namespace parley::model::offline {

struct Answer {
  std::string reasoning;
  std::string text;
  std::vector<ToolCall> calls;  // without ids
};

// The reply to a request: the next calls, or what came of them in words.
Answer answer_to(const ModelRequest& request);

// The same for how far a request was done; `tools` are named where nothing else can be said.
Answer answer_of(const Progress& progress, const std::vector<ToolSpec>& tools);

// What was done and what it brought, in the person's language.
std::string report(const Progress& progress, const std::vector<ToolSpec>& tools);

// Says that this is a demonstration and what it can do.
std::string introduction(Language language, const std::vector<ToolSpec>& tools);

// A piece of a longer text as a block of code.
std::string block(std::string_view text, Language language);

std::string either(Language language, std::string_view english, std::string_view chinese);

}  // namespace parley::model::offline
