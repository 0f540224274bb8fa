// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/verdict.h"

#include <algorithm>
#include <array>

#include "base/core/answer_text.h"
#include "model/session/choice_role.h"

namespace parley::session {
namespace {

constexpr std::array<std::string_view, 4> kVerdictNames = {"", "allowed", "lasting", "denied"};
// The choice of a hook that decides nothing yet (src/agents/hook/hook_words.cpp, in both
// languages).
constexpr std::string_view kEditCommand = "Edit command";
constexpr std::string_view kEditInChinese = "修改命令";

Verdict verdict_of(ChoiceRole role) {
  switch (role) {
    case ChoiceRole::allow_once:
      return Verdict::allowed;
    case ChoiceRole::lasting:
      return Verdict::lasting;
    case ChoiceRole::refuse:
      return Verdict::denied;
    case ChoiceRole::elsewhere:
    case ChoiceRole::other:
      return Verdict::none;
  }
  return Verdict::none;
}

// The role of a label that is an answer as a whole. Own words may begin like a label for a rule:
// "Always 2" is one, "Always use tabs" is none.
ChoiceRole role_of_words(std::string_view line) {
  const ChoiceRole role = role_of(line);
  if (role != ChoiceRole::lasting) return role;
  for (const std::string_view always : {"Always", "始终允许"}) {
    if (!line.starts_with(always)) continue;
    const bool is_label =
        line.find_first_not_of(" 0123456789", always.size()) == std::string_view::npos;
    return is_label ? role : ChoiceRole::other;
  }
  return role;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  return kVerdictNames.at(static_cast<std::size_t>(verdict));
}

std::optional<Verdict> verdict_from_name(std::string_view name) {
  const auto* const found = std::find(kVerdictNames.begin() + 1, kVerdictNames.end(), name);
  if (found == kVerdictNames.end()) return std::nullopt;
  return static_cast<Verdict>(found - kVerdictNames.begin());
}

Verdict verdict_of_label(std::string_view label) { return verdict_of(role_of_words(label)); }

Verdict verdict_of_words(std::string_view answer) {
  const std::string_view line = core::answer_in_line(answer);
  const ChoiceRole role = role_of_words(line);
  const Verdict whole = verdict_of(role);
  if (whole != Verdict::none) return whole;
  for (const std::string_view joint : {", ", ": "}) {
    const std::size_t at = line.find(joint);
    if (at == std::string_view::npos) continue;
    const ChoiceRole front = role_of_words(line.substr(0, at));
    if (front == ChoiceRole::refuse) return Verdict::denied;
    if (front != ChoiceRole::other) return Verdict::none;
  }
  const bool decides = role == ChoiceRole::other && !line.empty() && !core::is_consent(line) &&
                       line != kEditCommand && line != kEditInChinese;
  return decides ? Verdict::denied : Verdict::none;
}

}  // namespace parley::session
