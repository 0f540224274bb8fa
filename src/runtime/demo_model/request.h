// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/model.h"

// A request parsed with the table of patterns, and the calls that its steps need.
namespace parley::demo_model {

// Limits of a request: bytes that are read, and steps that are done.
// Limit (Models): a request of the demonstration. Reached: the rest is ignored.
inline constexpr std::size_t kMaxRequestBytes = 16U << 10U;
// Limit (Models): steps of a demonstration. Reached: the rest is ignored.
inline constexpr std::size_t kMaxSteps = 8;

enum class Language : std::uint8_t { english, chinese };

// A row of the table. All members are RE2 patterns.
struct Intent {
  const char* tools;  // names of suitable tools, in snake case; empty: talk
  const char* english;
  const char* chinese;
};

struct Step {
  std::string text;
  const Intent* intent = nullptr;  // null: a call in the explicit form, or not understood
  // Values by the names of the groups in the intent's pattern, such as "path".
  std::map<std::string, std::vector<std::string>, std::less<>> slots;
  std::string tool;  // of the explicit form, "TOOL {json}"; else empty
  std::string arguments;

  bool is_talk() const { return intent != nullptr && *intent->tools == '\0'; }
};

struct Request {
  Language language = Language::english;
  std::vector<Step> steps;
};

// Steps are separated by "then", "然后" and ";", never inside quotes. The text below a blank line
// is no step: rules of the session, attachments.
Request read_request(std::string_view text);

// The calls for a step, without ids: several if it names several files. `before` is the meaning of
// "it". Empty if no tool matches, or a required parameter is missing in the step.
std::vector<model::ToolCall> calls_for(Step step, const std::vector<model::ToolSpec>& tools,
                                       const std::string& before);

}  // namespace parley::demo_model
