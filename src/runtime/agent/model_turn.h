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

// One request to the model.
struct ModelAsk {
  std::vector<model::Message> messages;
  std::string addon;       // appended to the last system message, in this request only
  bool with_tools = true;  // true: the tools are offered
  bool json_only = false;
  // True if the text is for the person (message_chunk); false if it is the agent's thinking
  // (thought_chunk): plans, candidates, scores.
  bool is_speech = true;
  bool announces = false;     // true: the calls will be made, and each is emitted as tool_call
  bool may_be_empty = false;  // false: an empty reply is retried
  // Reserves an id for a call; false if another call of the run has it. Called only for ids that
  // `messages` do not have. May be empty.
  std::function<bool(const std::string& id)> claim_id;
  // Called with the shortened messages if the model refuses `messages` as too long. May be empty.
  std::function<void(const std::vector<model::Message>& messages)> shortened;
};

// Sends a request to the model in a node's name: streams message_chunk, thought_chunk and
// tool_call_chunk as they arrive (output of one turn of the loop is one event), and emits tool_call
// and usage. Retries an empty reply up to kEmptyRetries times. A request that the model refuses as
// too long is made to fit the model's smaller limit and sent again, up to kMaxRefits times. In the
// reply every call has a unique id, and in a reply without calls an empty text is replaced by the
// reasoning. `context` outlives the turn: `done` is called before the node's. Errors: those of
// Model::ask(); `unavailable` (only empty replies).
void ask_model(graph::NodeContext& context, std::shared_ptr<const AgentParts> parts, ModelAsk ask,
               model::Model::Done done);

// Name of the `custom` event after a model call if AgentParts::max_messages is set:
// {"conversation":{messages, max_messages}}, the messages of the request and the reply without
// system messages.
inline constexpr std::string_view kConversationNote = "conversation";

// Name of the `custom` event of a reply that the provider cut (a limit, a content filter):
// {"reply_cut":{id, finish_reason, message}}; `message` is a sentence for the person.
inline constexpr std::string_view kReplyCutNote = "reply_cut";

// Makes a conversation fit the model's context. Emits `summarising` (custom) before the model is
// asked for a summary, and `context_fitted` with the summary and counts of what was left out. If
// the conversation fits already, emits nothing and calls `done` at once, unless `summarise_all`.
// Errors: those of model::fit().
void fit_conversation(graph::NodeContext& context, const std::shared_ptr<const AgentParts>& parts,
                      ReactState& state, absl::AnyInvocable<void(core::Result<void>)> done,
                      bool summarise_all = false);
// Limit of the summary in the event, in bytes; the conversation has it whole.
inline constexpr std::size_t kMaxNotedSummaryBytes = 16U << 10U;

// Adds a reply's tokens to a state, and emits tool_call for each of its calls.
void account(ReactState& state, const model::ModelReply& reply);
void announce_calls(graph::NodeContext& context, const std::vector<model::ToolCall>& calls);

// Arguments as an event holds them: on one line; a JSON string if they are not JSON.
std::string arguments_json(std::string_view written);

// Appends `text` to the last system message, or inserts a system message at the front.
void extend_system_message(std::vector<model::Message>& messages, std::string_view text);

// Limit of the calls of one reply; further ones are dropped, with a note (custom).
// Limit (Runs): tool calls of one reply that are kept. Reached: dropped, reported.
inline constexpr std::size_t kMaxCallsOfReply = 128;
// Limit (Runs): retries after empty replies of a model. Reached: the run fails with a sentence.
inline constexpr int kEmptyRetries = 3;
// Least room for messages, in tokens, under a limit that was learned from refusals.
// Limit (Runs): tokens of messages that a learned limit leaves. Reached: the run fails with the
// provider's sentence, which names `context_tokens`.
inline constexpr std::uint64_t kLeastLearnedRoom = 512;
// Limit (Runs): shorter requests after the model refuses one as too long. Reached: the run fails
// with the provider's sentence, which names `context_tokens`.
inline constexpr int kMaxRefits = 3;             // of one request that is refused as too long
inline constexpr core::Millis kEmptyDelay{500};  // before the first retry; doubles

}  // namespace parley::agent
