// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/tool/inbox.h"
#include "runtime/tool/tool.h"

namespace parley::tool {

struct AskQuestionOptions {
  std::int32_t timeout_s = 86'400;  // time that a question waits for its answer
};

// `ask_question`: asks the owner of the run through the inbox and waits; the answer is the result.
// The key of the question is derived from run, call and question: after a restart the same call
// finds the same question. `inbox` must outlive every call.
ToolPtr make_ask_question(Inbox& inbox, AskQuestionOptions options = {});

}  // namespace parley::tool
