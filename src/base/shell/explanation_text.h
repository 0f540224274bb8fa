// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/shell/explanation.h"

namespace parley::shell {

enum class Language : std::uint8_t { english, chinese };

// The dangers as a list in Markdown, a line a kind, and the part that was not understood: shown in
// front of the command. Empty: none.
std::string danger_text(const Explanation& explanation, Language language);
// The other notes as a list in Markdown, a line a kind. Empty: none.
std::string touch_text(const Explanation& explanation, Language language);

}  // namespace parley::shell
