// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/cancel.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "runtime/model/media.h"
#include "runtime/model/message.h"
#include "runtime/stream/run_event.h"

namespace parley::model {

// What a model is told of a tool.
struct ToolSpec {
  std::string name;
  std::string description;
  std::string parameters;  // JSON Schema of an object, as JSON text
};

struct ModelRequest {
  std::vector<Message> messages;
  std::vector<ToolSpec> tools;
  std::optional<double> temperature;
  std::optional<std::uint32_t> max_tokens;
  bool json_only = false;  // asks for one JSON object, where the provider can
  // For the provider's log, in headers: which run asks.
  std::string thread_id;
};

struct ModelReply {
  Message message;            // of the assistant, whole
  std::string finish_reason;  // "stop", "tool_calls", "length", ...
  std::optional<runtime::Usage> usage;
};

// What comes while a reply is made. All may be empty. On the caller's scheduler.
struct ModelEvents {
  std::function<void(std::string_view text)> on_text;
  std::function<void(std::string_view text)> on_reasoning;
  // `id` and `name` are empty where the delta does not carry them; `index` tells the calls apart.
  std::function<void(std::size_t index, std::string_view id, std::string_view name,
                     std::string_view arguments)>
      on_tool_call;
  // A try failed and another follows after `delay`: what was streamed so far is void.
  std::function<void(const core::Error& error, core::Millis delay)> on_retry;
};

// A language model. Thread-safe.
class Model {
 public:
  using Done = absl::AnyInvocable<void(core::Result<ModelReply>)>;

  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  virtual const std::string& id() const = 0;         // "provider/name"
  virtual std::uint64_t context_tokens() const = 0;  // what request and reply may have together
  // The kinds that it takes beside text. Requests have notes in the place of other parts
  // (leave_out()).
  virtual MediaKinds media() const { return MediaKinds::all(); }
  // Asks. Events and `done` come on `scheduler`, never inside this call; nothing comes after
  // `done`. A cancel ends the exchange at once with `cancelled`. Errors: `unavailable` (not
  // reached, or retries used up), `unauthenticated`, `invalid_argument` (the provider refused the
  // request), `resource_exhausted` (quota; the reply is larger than kMaxReplyBytes),
  // `deadline_exceeded` (nothing came for the idle time, or not the whole in the total time),
  // `data_loss` (the reply ended in the middle or cannot be read).
  virtual void ask(ModelRequest request, ModelEvents events, core::Scheduler& scheduler,
                   const core::CancelToken& cancel, Done done) = 0;
};

// Text, reasoning and arguments of one reply together.
inline constexpr std::size_t kMaxReplyBytes = 8U << 20U;

}  // namespace parley::model
