// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "absl/functional/any_invocable.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "event/session_store.h"

namespace parley::chat {

// The run whose conversation a new message goes on with.
struct Continued {
  std::string run_id;   // empty: the conversation begins anew
  bool is_last = true;  // the last run of the session, whoever began it
};

// Finds it in the events of a chat session: the last run since the last clear; or, where a message
// is said anew, the run before that of the request `replaces`. `done` is called once on
// `scheduler`. Errors: `not_found` (the request is no part of the conversation), those of the
// store.
void find_continued(event::SessionStore& store, std::string session, std::string replaces,
                    core::Scheduler& scheduler,
                    absl::AnyInvocable<void(core::Result<Continued>)> done);

// Requests and runs that are looked at for one that is said anew.
inline constexpr std::size_t kMaxReplacedDepth = 10'000;

}  // namespace parley::chat
