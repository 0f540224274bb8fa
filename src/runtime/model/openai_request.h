// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/model/model.h"

namespace parley::model {

// Optional parts that a provider refused once, and that later requests leave out.
struct OpenAiDialect {
  bool no_stream_options = false;
  bool no_response_format = false;
  bool no_temperature = false;
  bool max_completion_tokens = false;  // the limit of tokens has this name instead of max_tokens
};

// Builds the body of a streamed chat completion request. Messages have the form that strict servers
// expect: text is a plain string, other parts are a list; each tool result follows the assistant's
// message with its call; a call without a result gets one that says so, and a result without a call
// becomes text of the user.
std::string openai_request(const std::string& model, const ModelRequest& request,
                           const OpenAiDialect& dialect);

}  // namespace parley::model
