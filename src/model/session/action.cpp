// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/action.h"

#include <simdjson.h>

#include <algorithm>
#include <array>

#include "base/core/json_writer.h"
#include "base/core/limits.h"
#include "base/core/markdown_code.h"
#include "base/core/result.h"
#include "base/core/visible_text.h"
#include "model/session/interaction.h"

namespace parley::session {
namespace {

namespace dom = simdjson::dom;

constexpr std::array<std::string_view, 3> kKinds = {"command", "file", "call"};

core::Result<std::string> text_in(dom::object from, std::string_view name, std::size_t limit) {
  std::string_view text;
  if (from.at_key(name).get(text) != simdjson::SUCCESS || text.empty() || text.size() > limit) {
    return core::fail(core::Code::invalid_argument,
                      "The member \"" + std::string(name) +
                          "\" of an action must be a text of 1 to " + std::to_string(limit) +
                          " bytes.",
                      std::string(name));
  }
  return std::string(text);
}

}  // namespace

std::string_view action_kind_name(ActionKind kind) {
  return kKinds.at(static_cast<std::size_t>(kind));
}

std::optional<ActionKind> action_kind_from_name(std::string_view name) {
  const auto* const found = std::find(kKinds.begin(), kKinds.end(), name);
  if (found == kKinds.end()) return std::nullopt;
  return static_cast<ActionKind>(found - kKinds.begin());
}

std::string action_json(const Action& action) {
  return core::json_object([&](core::JsonWriter& json) {
    json.key("agent").string(action.agent).key("tool").string(action.tool);
    json.key("kind").string(action_kind_name(action.kind)).key("subject").string(action.subject);
  });
}

core::Result<Action> read_action(std::string_view json) {
  dom::parser parser;
  dom::object object;
  if (parser.parse(json).get(object) != simdjson::SUCCESS) {
    return core::fail(core::Code::invalid_argument, "An action must be a JSON object.");
  }
  Action action;
  PARLEY_TRY(action.agent, text_in(object, "agent", core::limits::kMaxActionName));
  PARLEY_TRY(action.tool, text_in(object, "tool", core::limits::kMaxActionName));
  PARLEY_TRY(action.subject, text_in(object, "subject", core::limits::kMaxActionSubject));
  std::string_view name;
  const bool is_named = object.at_key("kind").get(name) == simdjson::SUCCESS;
  const auto kind = action_kind_from_name(name);
  if (!is_named || !kind) {
    return core::fail(core::Code::invalid_argument,
                      "The member \"kind\" of an action must be command, file or call.", "kind");
  }
  action.kind = *kind;
  return action;
}

bool shows_action(const Prompt& prompt, const Action& action) {
  switch (action.kind) {
    case ActionKind::command:
      return prompt.text.find(core::fenced("sh", action.subject)) != std::string::npos;
    case ActionKind::file:
      return prompt.text.find(core::visible_line(action.subject)) != std::string::npos;
    case ActionKind::call:
      return false;  // made by the server alone, from the call itself
  }
  return false;
}

}  // namespace parley::session
