// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace parley::tool {

// Kills every process of this user whose environment holds `mark`, wherever it has gone (another
// session, another parent). Returns how many; a look at /proc, so a few milliseconds. Allocates
// nothing and takes no lock, so that it may be called after fork() in a program with threads.
// `mark` is not empty and has at most kMaxMark bytes.
inline constexpr std::size_t kMaxMark = 256;
std::size_t kill_marked(std::string_view mark);

}  // namespace parley::tool
