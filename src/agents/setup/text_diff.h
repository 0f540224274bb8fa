// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::setup {

// The difference of two texts in the unified form, with three lines around each change; empty if
// they are equal. Texts that differ in too many lines are shown as one change.
std::string unified_diff(std::string_view before, std::string_view after, const std::string& name);

// The text with the values of secrets replaced by "***": of members and keys whose name speaks of a
// token, key, password, secret, credential, cookie or authorization, and of command line flags with
// such names. JSON as a whole; other texts line by line.
std::string masked_text(std::string_view text);

}  // namespace parley::setup
