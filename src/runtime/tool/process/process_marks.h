// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace parley::tool {

// The sign that a process was started by a command of this program, whatever its parent, group
// and session are by now. Two things are handed on from a process to those that it starts:
//
// - `text` is a part of a variable of its environment. `env -i` takes it away.
// - `limit` is its RLIMIT_RTTIME, a limit of real-time scheduling that has no other use here: its
//   bits below the topmost are random, and as microseconds it is 36,000 years. Neither an emptied
//   environment, nor a new session, nor closed descriptors change it.
//
// A program that sets out to be rid of both can. So can one of another user, which cannot be killed
// in any case.
struct ProcessMark {
  std::string_view text;  // at most kMaxMark
  std::uint64_t limit = 0;
  std::uint64_t limit_bits = ~std::uint64_t{0};  // of `limit` that are compared
};

inline constexpr std::size_t kMaxMark = 256;
// The bit that every `limit` has, and how many below it name a command; those between name its
// guard.
inline constexpr std::uint64_t kLimitTop = std::uint64_t{1} << 60U;
inline constexpr unsigned kLimitCommandBits = 30;

// Gives the calling process this limit. Fails silently where the process has a lower one: then it
// was itself started by a command of such a program. Safe between fork() and exec().
void carry_limit(std::uint64_t limit);

// Kills all processes that carry the mark, but this one. Looks again until none is found, for what
// starts others while it is killed. Allocates nothing: a process that was forked from one with
// threads may call it. Returns how many were killed.
std::size_t kill_marked(const ProcessMark& mark);

}  // namespace parley::tool
