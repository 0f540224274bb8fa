// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/session/interaction.h"
#include "runtime/model/message.h"

// Sessions as Markdown, for the agents that read them as MCP resources.
namespace parley::app {

// The binary contents of an answer, in its order. They point into the interaction.
std::vector<const session::Content*> attachments_of(const session::Interaction& interaction);

// Appends a question and its end. Binary contents become links to their MCP resources.
void append_interaction(std::string& out, const session::Interaction& interaction);
// Appends a message of a conversation with an agent; instructions for the model are left out.
void append_message(std::string& out, const model::Message& message);

}  // namespace parley::app
