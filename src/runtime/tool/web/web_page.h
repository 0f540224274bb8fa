// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::tool {

// The body of an answer as UTF-8 text that a model can read. `content_type` is the header's value:
// HTML becomes readable text (html_text.h), other text is only decoded (text_charset.h), any other
// body is described by its type and size. Any thread; may take a second for a large page.
std::string readable_body(std::string_view content_type, std::string_view body);

}  // namespace parley::tool
