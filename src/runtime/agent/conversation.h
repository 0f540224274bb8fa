// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/model/message.h"

namespace parley::agent {

// Makes a conversation fit to be sent: every call gets the answer that it lacks (the run ended
// before it was made), and answers without a call are left out.
void close_open_calls(std::vector<model::Message>& messages);

// Whether each call of an assistant has exactly one answer, in order, right behind its message, and
// every answer its call. `open_end`: the last message's calls may still lack answers.
bool is_paired(const std::vector<model::Message>& messages, bool open_end);

// The conversation with which a run begins: the system prompt, what was said earlier without its
// system prompt, the new message.
std::vector<model::Message> begin_conversation(const std::string& system_prompt,
                                               const std::vector<model::Message>& earlier,
                                               model::Message message);

}  // namespace parley::agent
