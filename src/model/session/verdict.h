// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace parley::session {

// The decision in an answer to a permission prompt.
enum class Verdict : std::uint8_t {
  none,     // no permission prompt, or not decided here
  allowed,  // once
  lasting,  // allowed with a rule, or for a session or run
  denied,
};

std::string_view verdict_name(Verdict verdict);  // "allowed", "lasting", "denied"; "" for none
std::optional<Verdict> verdict_from_name(std::string_view name);  // not none

// The decision of a choice whose label is the whole answer.
Verdict verdict_of_label(std::string_view label);
// The decision of an answer in words, as `parley hook` takes it: a label allows only alone, denies
// with a reason behind it as well, and other words are a refusal, unless they are consent, which is
// asked about again.
Verdict verdict_of_words(std::string_view answer);

}  // namespace parley::session
