// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parley::setup {

// The plugin of OpenCode (opencode_plugin.js) as it is in the source tree. Its line `const
// kCommand` is replaced when it is installed.
extern const std::string_view kOpencodePlugin;

}  // namespace parley::setup
