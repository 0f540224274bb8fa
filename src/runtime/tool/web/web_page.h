// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::tool {

// The body of an answer as text that a model can read. `content_type` is the header's value: HTML
// becomes readable text, other text stays as it is, in UTF-8 whatever it was in (UTF-8, ISO-8859-1
// and Windows-1252 are known); of what is no text only type and size are said.
std::string readable_body(std::string_view content_type, const std::string& body);

}  // namespace parley::tool
