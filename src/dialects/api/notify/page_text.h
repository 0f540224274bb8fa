// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::api {

// The text of a question as HTML: code in fences and spans as code, a warning in front
// ("**Careful:**") bold, everything else as it is written. Nothing of it is left out but the marks
// themselves.
std::string page_text(std::string_view text);

}  // namespace parley::api
