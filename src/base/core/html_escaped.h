// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::core {

// Text as content of HTML, and as the value of an attribute in quotes.
std::string html_escaped(std::string_view text);

}  // namespace parley::core
