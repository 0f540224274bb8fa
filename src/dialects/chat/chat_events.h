// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dialects/chat/chat_frames.h"
#include "model/event/event.h"
#include "model/session/interaction.h"

// The events of a chat session that are its own, and the interactions of its runs.
namespace parley::chat {

// Event that ties a client's request to its run, stored before the run starts: {request_id,
// run_id, role, content, attachments, continues, replaces}. Durable.
inline constexpr std::string_view kRequestType = "chat.request";
// Event that ends a conversation, so that the next run starts a new one: {request_id}. Durable.
inline constexpr std::string_view kClearType = "chat.clear";

// Event of a command that the server answers itself: {request_id, content, reply}. Durable.
inline constexpr std::string_view kCommandType = "chat.command";

// Events of the interactions of a session.
inline constexpr std::string_view kOpenedType = "interaction.opened";
inline constexpr std::string_view kClosedType = "interaction.closed";

// First event of a run.
inline constexpr std::string_view kRunStartType = "run_start";

struct ChatCommand {
  std::string request_id;
  std::string content;  // "/help"
  std::string reply;
};
std::string command_payload(const ChatCommand& command);

std::string request_payload(const ChatRequest& request);
// Reads the request in an event of type kRequestType; unreadable members are empty.
ChatRequest read_request(const event::Event& event);

// A tool call that waits for the client, read from its interaction.
struct WaitingTool {
  std::string key;  // key of the interaction
  std::string call_id;
  std::string name;
  std::string arguments;    // JSON text
  std::string explanation;  // JSON of what a shell command touches; empty: none
  std::string run_id;
  std::string source;      // tool::Tool::source(), for a tool of the server
  std::string request_id;  // under which it was sent to this client
  bool of_client = false;
  bool shown = false;     // sent to this client
  bool answered = false;  // this client has answered; the outcome of its answer is still open
};
// std::nullopt: the interaction is of another kind, or has no readable call.
std::optional<WaitingTool> waiting_tool(const session::Interaction& interaction);

// A question of the agent that waits for an answer.
struct WaitingQuestion {
  std::string key;        // key of the interaction
  bool answered = false;  // this client has answered; the outcome of its answer is still open
};
// In the `meta` of an answer that was given in the chat: the id of the request that gave it.
inline constexpr std::string_view kAnswerRequest = "request_id";

// A question of the agent in words, as a message of it.
std::string question_text(const session::Prompt& prompt);

}  // namespace parley::chat
