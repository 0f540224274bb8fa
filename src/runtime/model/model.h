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
#include "base/core/cancel.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "runtime/model/media.h"
#include "runtime/model/message.h"
#include "runtime/stream/run_event.h"

namespace parley::model {

// Description of a tool for a model.
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
  bool json_only = false;  // asks for one JSON object, if the provider supports that
  // Run that asks; sent in headers, for the provider's log.
  std::string thread_id;
};

struct ModelReply {
  Message message;            // complete, role assistant
  std::string finish_reason;  // "stop", "tool_calls", "length", ...
  std::optional<runtime::Usage> usage;
};

// Callbacks while a reply arrives, on the caller's scheduler. Each may be empty.
struct ModelEvents {
  std::function<void(std::string_view text)> on_text;
  std::function<void(std::string_view text)> on_reasoning;
  // `id` and `name` are empty if the delta does not carry them; `index` identifies the call.
  std::function<void(std::size_t index, std::string_view id, std::string_view name,
                     std::string_view arguments)>
      on_tool_call;
  // An attempt failed, the next one starts after `delay`; all output streamed so far is void.
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

  virtual const std::string& id() const = 0;  // "provider/name"
  // Limit of request and reply together. May become smaller when a request was refused.
  virtual std::uint64_t context_tokens() const = 0;
  // True if refusals have lowered context_tokens(), which is an estimate then.
  virtual bool limit_is_learned() const { return false; }
  // Media kinds that the model accepts. Callers replace other parts by notes (leave_out()).
  virtual MediaKinds media() const { return MediaKinds::all(); }
  // Sends the request. Events and `done` are called on `scheduler`, never inside this call; nothing
  // is called after `done`. A cancellation ends the exchange at once with `cancelled`. Errors:
  // `unavailable` (not reached, or no attempts left), `unauthenticated`, `invalid_argument` (the
  // provider refused the request), `out_of_range` (the request is longer than the context:
  // context_tokens() is smaller now), `resource_exhausted` (quota, rate limit; the reply is larger
  // than kMaxReplyBytes), `deadline_exceeded` (no byte within the idle timeout, or not complete
  // within the total timeout), `data_loss` (the reply is truncated or unreadable).
  virtual void ask(ModelRequest request, ModelEvents events, core::Scheduler& scheduler,
                   const core::CancelToken& cancel, Done done) = 0;
};

// Limit of the text, reasoning and arguments of one reply together, in bytes.
// Limit (Models): reply: text, reasoning and arguments. Reached: `resource_exhausted`, no retry.
inline constexpr std::size_t kMaxReplyBytes = 8U << 20U;

}  // namespace parley::model
