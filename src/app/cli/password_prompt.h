// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/core/result.h"

namespace parley::app {

// Asks for a password at the terminal, twice, without echo. Ctrl-C cancels. Errors:
// `failed_precondition` (stdin is not a terminal), `cancelled`, `invalid_argument` (the two
// passwords differ).
core::Result<std::string> ask_new_password();

// The first line of stdin, without its line break. Errors: `invalid_argument` (there is no line, or
// it is longer than 4 KiB).
core::Result<std::string> read_password_line();

}  // namespace parley::app
