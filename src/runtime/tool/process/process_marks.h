// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace parley::tool {

// Identifies processes that a command of this program started, independent of their current parent,
// group and session. Two properties are inherited by child processes:
//
// - `text` is a part of a variable of the environment. `env -i` removes it.
// - `limit` is the RLIMIT_RTTIME, a limit of real-time scheduling that has no other use here: its
//   bits below the topmost are random, and as microseconds it is 36,000 years. An emptied
//   environment, a new session and closed descriptors do not change it.
//
// A program can remove both on purpose. So can a program of another user, which cannot be killed in
// any case.
struct ProcessMark {
  std::string_view text;  // at most kMaxMark
  std::uint64_t limit = 0;
  std::uint64_t limit_bits = ~std::uint64_t{0};  // bits of `limit` that are compared
};

inline constexpr std::size_t kMaxMark = 256;
// The bit that every `limit` has set, and the number of low bits that identify a command; the bits
// between identify its guard.
inline constexpr std::uint64_t kLimitTop = std::uint64_t{1} << 60U;
inline constexpr unsigned kLimitCommandBits = 30;

// Sets this limit for the calling process. Fails silently if the process has a lower limit: then it
// was itself started by a command of such a program. Safe between fork() and exec().
void carry_limit(std::uint64_t limit);

// Kills all processes that carry the mark, except the caller. Repeats the search until none is
// found (a few times at most), because a process may start others while it is killed. Does not
// allocate, so that a process forked from one with threads may call it. Returns the number of
// killed processes.
std::size_t kill_marked(const ProcessMark& mark);

}  // namespace parley::tool
