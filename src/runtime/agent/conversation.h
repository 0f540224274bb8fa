// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/model/message.h"

namespace parley::agent {

// Repairs a conversation before it is sent: every call without an answer gets one (the run ended
// before the call finished), and answers without a call are removed.
void close_open_calls(std::vector<model::Message>& messages);

// True if each call of an assistant has exactly one answer, in order, directly behind its message,
// and every answer has its call. `open_end`: calls of the last message may still lack answers.
bool is_paired(const std::vector<model::Message>& messages, bool open_end);

// Initial conversation of a run: the system prompt, the earlier messages without their system
// prompt, the new message.
std::vector<model::Message> begin_conversation(const std::string& system_prompt,
                                               const std::vector<model::Message>& earlier,
                                               model::Message message);

}  // namespace parley::agent
