// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace parley::app {

// Limit of the scripts of one page; further ones stay blocked.
inline constexpr std::size_t kMaxInlineScripts = 64;

// The sources of a Content-Security-Policy that allow the inline scripts of a page, each with a
// space before it: " 'sha256-...' 'sha256-...'". Scripts with `src` have none.
std::string inline_script_sources(std::string_view html);

}  // namespace parley::app
