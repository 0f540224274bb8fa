// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parley::app {

// The script of deploy/completions for "bash", "zsh" or "fish"; empty for another name.
std::string_view completion_script(std::string_view shell);

}  // namespace parley::app
