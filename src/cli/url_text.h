// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::app {

// `text` as one part of a path or one value of a query.
std::string percent_encoded(std::string_view text);

}  // namespace parley::app
