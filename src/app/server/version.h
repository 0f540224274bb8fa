// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parley::app {

// The version in CMakeLists.txt, defined by the build.
inline constexpr std::string_view kVersion = PARLEY_VERSION;

}  // namespace parley::app
