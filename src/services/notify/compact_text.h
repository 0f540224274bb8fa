// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::notify {

// Markdown on fewer lines, for a notice, which shows few and shows them as they are: a fence around
// one line becomes a code span with as many marks as needed, and blank lines outside of fences are
// left out. Nothing else changes: all words stay, and a line of a fence is never taken for text.
std::string compact_text(std::string_view markdown);

}  // namespace parley::notify
