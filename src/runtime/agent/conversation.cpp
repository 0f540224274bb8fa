// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/conversation.h"

#include <algorithm>
#include <utility>

namespace parley::agent {
namespace {

using model::Message;
using model::Role;

constexpr const char* kNeverMade =
    "The run ended before this call was finished: it may not have been made.";

}  // namespace

void close_open_calls(std::vector<Message>& messages) {
  std::vector<Message> closed;
  closed.reserve(messages.size());
  for (std::size_t i = 0; i < messages.size();) {
    if (messages[i].role == Role::tool) {
      ++i;
      continue;
    }
    const std::vector<model::ToolCall> calls = messages[i].tool_calls;
    closed.push_back(std::move(messages[i]));
    std::size_t end = ++i;
    while (end < messages.size() && messages[end].role == Role::tool) ++end;
    for (const model::ToolCall& call : calls) {
      const auto answer =
          std::find_if(messages.begin() + static_cast<std::ptrdiff_t>(i),
                       messages.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](const Message& message) { return message.tool_call_id == call.id; });
      const bool found = answer != messages.begin() + static_cast<std::ptrdiff_t>(end);
      closed.push_back(found ? *answer : Message::tool(call.id, kNeverMade, true));
    }
    i = end;
  }
  messages = std::move(closed);
}

bool is_paired(const std::vector<Message>& messages, bool open_end) {
  for (std::size_t i = 0; i < messages.size();) {
    if (messages[i].role == Role::tool) return false;
    const std::vector<model::ToolCall>& calls = messages[i++].tool_calls;
    for (const model::ToolCall& call : calls) {
      if (i == messages.size()) return open_end;
      if (messages[i].role != Role::tool || messages[i].tool_call_id != call.id) return false;
      ++i;
    }
  }
  return true;
}

std::vector<Message> begin_conversation(const std::string& system_prompt,
                                        const std::vector<Message>& earlier, Message message) {
  std::vector<Message> messages = earlier;
  if (!messages.empty() && messages.front().role == Role::system) messages.erase(messages.begin());
  close_open_calls(messages);
  messages.insert(messages.begin(), Message::system(system_prompt));
  messages.push_back(std::move(message));
  return messages;
}

}  // namespace parley::agent
