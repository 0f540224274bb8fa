// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/cancel.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "runtime/model/model.h"

// Keeps a conversation within a model's context limit: cuts messages that alone exceed it, clears
// old tool results, summarises old messages, then cuts the longest messages until all fit. A cut is
// noted in its message. System messages stay unchanged, and every tool call keeps its result beside
// it.
namespace parley::model {

struct ContextSettings {
  std::uint64_t reserve_tokens = 4'096;       // for the reply; at most a quarter of the limit
  std::uint64_t tools_tokens = 0;             // size of the tool descriptions sent with the request
  std::uint64_t keep_result_tokens = 40'000;  // newest results that stay; at most half of the room
  // Least gain for which results are cleared; at most a quarter of the room.
  std::uint64_t worth_tokens = 20'000;
  std::size_t keep_messages = 20;  // newest messages that are not summarised, if they fit
  // Summarises from this many messages on (system messages not counted), even if they fit; 0: no
  // limit.
  std::size_t max_messages = 0;
  // Summarises all messages except system messages, even if they fit.
  bool summarise_all = false;
  // Callback before a summary is made, with the number of messages that it covers. May be empty.
  std::function<void(std::size_t messages)> summarising = {};
  // Callback with the tokens of the model call that makes a summary, also if fitting fails after
  // it. May be empty.
  std::function<void(const runtime::Usage&)> spent = {};
};

// Context limit of a model whose limit is not known (0), in tokens.
inline constexpr std::uint64_t kDefaultContextTokens = 128'000;

// Text in the place of a cleared tool result.
inline constexpr std::string_view kClearedResult = "[Old tool result cleared]";
// First line of the message that replaces old ones; its role is user.
inline constexpr std::string_view kSummaryHeading = "[Summary of the earlier conversation]";
// Heading after the summary, on a line of its own, followed by the user's last request word for
// word. Present only if no later message of the user is left.
inline constexpr std::string_view kLastRequestHeading = "[The last request, word for word]";

// Estimate of the tokens: a quarter of the bytes, plus a few for each message and call, and at
// least 1,000 for each media part.
std::uint64_t estimate_tokens(const Message& message);
std::uint64_t estimate_tokens(const std::vector<Message>& messages);
std::uint64_t estimate_tokens(const std::vector<ToolSpec>& tools);

// Tokens that a model's limit leaves for messages.
std::uint64_t context_room(std::uint64_t limit, const ContextSettings& settings);

// The least limit that leaves this room.
std::uint64_t limit_for_room(std::uint64_t room, const ContextSettings& settings);

// Number of messages without system messages.
std::size_t count_messages(const std::vector<Message>& messages);

// The request in a message of a person: the text, or, in a summary, the last request that it
// quotes.
std::string_view request_in(const Message& message);

// True if fit() would change anything. Looks at sizes only: cheap enough for every step.
bool needs_fitting(const std::vector<Message>& messages, std::uint64_t limit,
                   const ContextSettings& settings = {});

struct Fitted {
  std::vector<Message> messages;
  bool changed = false;        // false: the messages are the given ones
  std::size_t cleared = 0;     // number of results that were cleared
  std::size_t summarised = 0;  // number of messages that the summary replaces
  std::string summary;         // summary of these; empty: none was made
  std::size_t cut = 0;         // number of messages that were cut
};
using FitDone = absl::AnyInvocable<void(core::Result<Fitted>)>;

// Makes `messages` fit `limit` (tokens of request and reply together, Model::context_tokens(); 0:
// not known). `model` writes the summary; if it fails or is null, the beginnings of the old
// messages are used instead. `done` is called once on `scheduler`, never inside this call. Errors:
// `cancelled`; `resource_exhausted` (the system messages alone, or the newest messages, are too
// long).
void fit(std::vector<Message> messages, std::uint64_t limit, std::shared_ptr<Model> model,
         core::Scheduler& scheduler, const core::CancelToken& cancel, FitDone done,
         const ContextSettings& settings = {});

}  // namespace parley::model
