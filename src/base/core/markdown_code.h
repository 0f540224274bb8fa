// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Text from outside as code in Markdown, which it cannot leave. Characters that show nothing, or
// change how others are shown, are written out.
namespace parley::core {

// One line as a code span. A backtick in it would end the span and is shown as an apostrophe.
std::string code_span(std::string_view text);

// `text` in a fence longer than any within it.
std::string fenced(std::string_view language, std::string_view text);

}  // namespace parley::core
