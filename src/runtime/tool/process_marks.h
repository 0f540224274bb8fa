// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace parley::tool {

// Kills every process of this user whose environment holds `mark`, wherever it has gone (another
// session, another parent). Returns how many; a look at /proc, so a few milliseconds.
std::size_t kill_marked(const std::string& mark);

}  // namespace parley::tool
