// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/choice_role.h"

#include <algorithm>
#include <array>
#include <utility>

namespace parley::session {
namespace {

constexpr std::array<std::pair<std::string_view, ChoiceRole>, 15> kRoles = {{
    {"Allow once", ChoiceRole::allow_once},
    {"Allow", ChoiceRole::allow_once},
    {"Approve", ChoiceRole::allow_once},
    {"Approve, accept edits", ChoiceRole::lasting},
    {"Deny", ChoiceRole::refuse},
    {"Deny and stop", ChoiceRole::refuse},
    {"Keep planning", ChoiceRole::refuse},
    {"Answer in the terminal", ChoiceRole::elsewhere},
    {"允许一次", ChoiceRole::allow_once},
    {"批准", ChoiceRole::allow_once},
    {"批准并接受编辑", ChoiceRole::lasting},
    {"拒绝", ChoiceRole::refuse},
    {"拒绝并停止", ChoiceRole::refuse},
    {"继续规划", ChoiceRole::refuse},
    {"在终端中回答", ChoiceRole::elsewhere},
}};

}  // namespace

ChoiceRole role_of(std::string_view label) {
  const auto* const known = std::find_if(kRoles.begin(), kRoles.end(),
                                         [&](const auto& row) { return row.first == label; });
  if (known != kRoles.end()) return known->second;
  return label.starts_with("Always") || label.starts_with("始终允许") ? ChoiceRole::lasting
                                                                      : ChoiceRole::other;
}

std::optional<Decision> decision_of(const Prompt& prompt) {
  if (prompt.questions.size() != 1 || prompt.questions.front().multiple) return std::nullopt;
  const std::vector<Choice>& choices = prompt.questions.front().choices;
  const auto first = [&](ChoiceRole role) -> const Choice* {
    const auto found = std::find_if(choices.begin(), choices.end(), [role](const Choice& choice) {
      return role_of(choice.label) == role;
    });
    return found == choices.end() ? nullptr : &*found;
  };
  const Choice* const refuse = first(ChoiceRole::refuse);
  if (refuse == nullptr) return std::nullopt;
  return Decision{first(ChoiceRole::allow_once), refuse};
}

}  // namespace parley::session
