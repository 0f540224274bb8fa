// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parley::tool {

// Variables as "NAME=value".
using Environment = std::vector<std::string>;

// This process's own.
Environment process_environment();

// Whether a variable of this name holds a secret by the look of it: it ends in API_KEY, TOKEN,
// SECRET, PASSWORD and the like, in any case.
bool looks_secret(std::string_view name);

// Without the variables that look secret, and without those that `named` names.
Environment without_secrets(Environment variables, const std::vector<std::string>& named);

// The value of a variable; empty if it is not there.
std::string_view value_of(const Environment& variables, std::string_view name);
// Puts a variable in place of the one of that name.
void set_variable(Environment& variables, std::string_view name, std::string_view value);

}  // namespace parley::tool
