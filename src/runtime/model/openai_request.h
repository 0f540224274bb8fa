// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/model/model.h"

namespace parley::model {

// What a provider was found not to take. It said so once; the next request goes without.
struct OpenAiDialect {
  bool no_stream_options = false;
  bool no_response_format = false;
  bool no_temperature = false;
  bool max_completion_tokens = false;  // under this name instead of max_tokens
};

// The body of a chat completion request, streamed. Messages are sent as strict servers want them:
// text is a plain string, other parts are a list; each tool result follows the assistant's message
// that called it, a call whose result is missing gets one that says so, and a result that nobody
// called for becomes text of the user.
std::string openai_request(const std::string& model, const ModelRequest& request,
                           const OpenAiDialect& dialect);

}  // namespace parley::model
