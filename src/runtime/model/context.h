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
#include "core/cancel.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "runtime/model/model.h"

// Keeps a conversation within what a model can take: old results of tools are cleared, then old
// messages are summarised, then what is too long by itself is cut with a note. System messages stay
// as they are, and every call of a tool keeps its result beside it.
namespace parley::model {

struct ContextSettings {
  std::uint64_t reserve_tokens = 4'096;       // for the reply; at most a quarter of the limit
  std::uint64_t tools_tokens = 0;             // of the descriptions of tools that are sent along
  std::uint64_t keep_result_tokens = 40'000;  // of the newest results; at most half of the room
  std::uint64_t worth_tokens = 20'000;        // less is not cleared; at most a quarter of the room
  std::size_t keep_messages = 20;             // the newest, that are not summarised
  // As many, those of the system not counted, are summarised even where they would fit; 0: any.
  std::size_t max_messages = 0;
  // All messages but those of the system are summarised, whether or not they fit.
  bool summarise_all = false;
  // Told how many messages a summary is about to be made of. May be empty.
  std::function<void(std::size_t messages)> summarising = {};
  // Told of the tokens of the model call that makes a summary, also where fitting fails after it.
  std::function<void(const runtime::Usage&)> spent = {};
};

// Taken where a model's limit is not known (0).
inline constexpr std::uint64_t kDefaultContextTokens = 128'000;

// What stands where an old result was.
inline constexpr std::string_view kClearedResult = "[Old tool result cleared]";
// How the message that takes the place of old ones begins. It is a user's.
inline constexpr std::string_view kSummaryHeading = "[Summary of the earlier conversation]";
// What it has after the summary, a line of its own, if no later message of the user is left: the
// user's last request, as it was.
inline constexpr std::string_view kLastRequestHeading = "[The last request, word for word]";

// About as many tokens as a model counts: a quarter of the bytes, and a few for each message.
std::uint64_t estimate_tokens(const Message& message);
std::uint64_t estimate_tokens(const std::vector<Message>& messages);
std::uint64_t estimate_tokens(const std::vector<ToolSpec>& tools);

// What is left of a model's limit for messages.
std::uint64_t context_room(std::uint64_t limit, const ContextSettings& settings);

// Messages without those of the system.
std::size_t count_messages(const std::vector<Message>& messages);

// What a person asks for in a message of theirs: its text, or of a summary the last request in it.
std::string_view request_in(const Message& message);

// Whether fit() would change anything. Looks at sizes only: cheap enough for every step.
bool needs_fitting(const std::vector<Message>& messages, std::uint64_t limit,
                   const ContextSettings& settings = {});

struct Fitted {
  std::vector<Message> messages;
  bool changed = false;        // else the messages are those that were given
  std::size_t cleared = 0;     // results
  std::size_t summarised = 0;  // messages that the summary stands for
  std::string summary;         // of these; empty: none was made
  std::size_t cut = 0;         // messages that were too long
};
using FitDone = absl::AnyInvocable<void(core::Result<Fitted>)>;

// Makes `messages` fit `limit` (what request and reply may have together, Model::context_tokens();
// 0: not known). `model` makes the summary; where it fails, or is null, beginnings of the old
// messages are taken in its place. `done` is called once on `scheduler`, never inside this call.
// Errors: `cancelled`; `resource_exhausted` (the system messages alone are too long).
void fit(std::vector<Message> messages, std::uint64_t limit, std::shared_ptr<Model> model,
         core::Scheduler& scheduler, const core::CancelToken& cancel, FitDone done,
         const ContextSettings& settings = {});

}  // namespace parley::model
