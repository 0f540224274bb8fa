// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/asked_action.h"

#include <array>
#include <string_view>

#include "agents/hook/request_text.h"
#include "base/core/json_writer.h"
#include "base/core/limits.h"

namespace parley::hook {
namespace {

constexpr std::array<std::string_view, 3> kPathFields = {"file_path", "filepath", "filePath"};

bool is_within(const std::string& text, std::size_t limit) {
  return !text.empty() && text.size() <= limit;
}

// The path of the file that a tool uses; empty: it names none.
std::string used_file(const HookEvent& event) {
  for (const std::string_view field : kPathFields) {
    std::string path = text_of(event.input, field);
    if (!path.empty()) return path;
  }
  return {};
}

}  // namespace

std::string asked_action(const HookEvent& event) {
  if (event.kind != HookKind::permission) return {};
  const bool is_command = runs_command(event);
  const std::string subject = is_command ? text_of(event.input, "command") : used_file(event);
  if (!is_within(subject, core::limits::kMaxActionSubject) ||
      !is_within(event.tool, core::limits::kMaxActionName)) {
    return {};
  }
  std::string json = core::json_object([&](core::JsonWriter& out) {
    out.key("agent").string(facts_of(event.agent).word).key("tool").string(event.tool);
    out.key("kind").string(is_command ? "command" : "file").key("subject").string(subject);
  });
  return json.size() <= kMaxActionBytes ? json : std::string();
}

}  // namespace parley::hook
