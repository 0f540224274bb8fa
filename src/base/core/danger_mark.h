// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace parley::core {

// Headings in the Markdown of a prompt, in front of its command: dangers, and a part that was not
// understood (docs/explanations.md). In English and Chinese.
inline constexpr std::string_view kCareful = "**Careful:**";
inline constexpr std::string_view kNotUnderstood = "**Not understood whole:**";
inline constexpr std::string_view kCarefulChinese = "**注意：**";
inline constexpr std::string_view kNotUnderstoodChinese = "**未能完全解析：**";

// True if a line in front of the first fence begins with one of them. The console has the same rule
// (web/src/inbox/decision.ts).
bool has_danger_mark(std::string_view markdown);

}  // namespace parley::core
