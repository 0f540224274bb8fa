// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace parley::session {

// Kinds of notices: the agent has finished, has nothing to do, waits for its person, or has failed.
inline constexpr std::array<std::string_view, 4> kNoticeKinds = {"done", "idle", "waiting",
                                                                 "failed"};

// Pending notices of a session. A further one ends the oldest, so that agents which nobody watches
// leave room for questions.
// Limit (/v1): pending notices of a workspace. Reached: the oldest ends.
inline constexpr std::size_t kMaxNotices = 100;

// A notice is an interaction of the kind task_finish that nobody waits for: it stays until a person
// dismisses it, a later notice replaces it, or its deadline. Its key carries the rest,
// "notice:KIND:ID:REPLACE": a later notice with the same non-empty REPLACE ends it.
struct NoticeKey {
  std::string_view kind;
  std::string_view replace;
};

std::string notice_key(std::string_view kind, std::string_view id, std::string_view replace);

// The parts of the key of an interaction, which must outlive them; std::nullopt: not a notice.
std::optional<NoticeKey> parse_notice_key(std::string_view key);

}  // namespace parley::session
