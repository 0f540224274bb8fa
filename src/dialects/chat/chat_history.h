// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "model/event/session_store.h"

namespace parley::chat {

// The run whose conversation a new message continues.
struct Continued {
  std::string run_id;   // empty: a new conversation
  bool is_last = true;  // true: the last run of the session, from any client
};

// Finds the run that a new message continues: the last run since the last clear or, for a message
// that replaces another, the run before that of the request `replaces`. `done` is called once on
// `scheduler`. Errors: `not_found` (the request is not part of the conversation), those of the
// store.
void find_continued(event::SessionStore& store, std::string session, std::string replaces,
                    core::Scheduler& scheduler,
                    absl::AnyInvocable<void(core::Result<Continued>)> done);

// Limit of the events that the search for a replaced request reads.
inline constexpr std::size_t kMaxReplacedDepth = 10'000;

}  // namespace parley::chat
