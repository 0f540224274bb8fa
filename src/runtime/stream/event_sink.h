// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "runtime/stream/run_event.h"

namespace parley::runtime {

// Receives a run's events, in order. Belongs to the run's scheduler; every call and callback is on
// its thread. The sink decides if events are stored, shown or printed.
class EventSink {
 public:
  EventSink() = default;
  EventSink(const EventSink&) = delete;
  EventSink& operator=(const EventSink&) = delete;
  virtual ~EventSink() = default;

  // `node_id` is that of the envelope: "run-think-0", or "run-0" before the first node.
  virtual void emit(std::string_view node_id, RunEvent event) = 0;

  // Calls `done`, later, when all events emitted so far survive kill -9. A tool with external
  // effects waits for this after its tool_start. Errors: those of the store; the run ends.
  virtual void when_durable(absl::AnyInvocable<void(core::Result<void>)> done) = 0;
};

}  // namespace parley::runtime
