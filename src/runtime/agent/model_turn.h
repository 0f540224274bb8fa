// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "runtime/agent/agent.h"
#include "runtime/agent/react_state.h"
#include "runtime/graph/node.h"

namespace parley::agent {

// One question to the model.
struct ModelAsk {
  std::vector<model::Message> messages;
  std::string addon;       // put behind the last system message of the request alone
  bool with_tools = true;  // whether the tools are offered
  bool json_only = false;
  // Whether the text is what the person is told (message_chunk), or the agent's thinking
  // (thought_chunk): plans, candidates, scores.
  bool is_speech = true;
  bool announces = false;     // whether the calls are made: each is emitted as tool_call
  bool may_be_empty = false;  // else an empty reply is asked for again
  // Takes an id for a call, unless another one of the run has it: then false. Asked after those in
  // `messages`. May be empty.
  std::function<bool(const std::string& id)> claim_id;
};

// Asks the model in a node's name: streams message_chunk, thought_chunk and tool_call_chunk as they
// come (what comes in one turn of the loop is one event), and emits tool_call and usage. A reply
// that is empty is asked for again kEmptyRetries times. In the reply every call has an id that no
// other call has, and an empty text is the reasoning where there is one. `context` outlives the
// turn: `done` is called before the node's. Errors: those of Model::ask(); `unavailable` (only
// empty replies).
void ask_model(graph::NodeContext& context, std::shared_ptr<const AgentParts> parts, ModelAsk ask,
               model::Model::Done done);

// The `custom` of a model call where AgentParts::max_messages is set:
// {"conversation":{messages, max_messages}}, the messages of the request and the reply without
// those of the system.
inline constexpr std::string_view kConversationNote = "conversation";

// Makes a conversation fit the model's context. Emits `summarising` (custom) before the model is
// asked for a summary, and `context_fitted` with counts of what was left out and the summary.
// Emits nothing and calls `done` at once where it fits, unless `summarise_all`. Errors: those of
// model::fit().
void fit_conversation(graph::NodeContext& context, const std::shared_ptr<const AgentParts>& parts,
                      ReactState& state, absl::AnyInvocable<void(core::Result<void>)> done,
                      bool summarise_all = false);
// A longer summary is cut in the event; the conversation has it whole.
inline constexpr std::size_t kMaxNotedSummaryBytes = 16U << 10U;

// Adds a reply's tokens to a state, and emits tool_call for each of its calls.
void account(ReactState& state, const model::ModelReply& reply);
void announce_calls(graph::NodeContext& context, const std::vector<model::ToolCall>& calls);

// Arguments as an event holds them: on one line, a JSON string if they are no JSON.
std::string arguments_json(std::string_view written);

// Appends `text` to the last system message, or puts one in front.
void extend_system_message(std::vector<model::Message>& messages, std::string_view text);

// Calls of one reply beyond this are dropped, with a note (custom).
inline constexpr std::size_t kMaxCallsOfReply = 128;
inline constexpr int kEmptyRetries = 3;
inline constexpr core::Millis kEmptyDelay{500};  // before the first; doubles

}  // namespace parley::agent
