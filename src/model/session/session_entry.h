// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "model/event/session_store.h"
#include "model/session/session.h"

namespace parley::session {

// An interaction in the memory of its session, from the first ask() to its end. For the sources of
// Session alone.
struct Session::Entry {
  enum class Phase : std::uint8_t { looking_up, opening, open, closing };

  struct Waiter {
    WaiterId id;
    Authority by;
    AskDone done;
    AskOpened opened;
  };

  // The error of an event that the store would refuse with all events after it: checked before the
  // event gets a seq. `what` is "question" or "answer".
  static core::Error too_large(const std::string& what) {
    return {core::Code::resource_exhausted, "This " + what + " is larger than the limit.", what};
  }

  Phase phase = Phase::looking_up;
  // While looking_up: the store's answer, kept until earlier keys have theirs.
  std::optional<core::Result<std::optional<event::StoredInteraction>>> found;
  std::shared_ptr<Interaction> interaction;
  std::string fingerprint;
  std::size_t bytes = 0;  // bytes of the prompt
  std::vector<Waiter> waiters;
  std::vector<core::Task> after_open;   // answers and cancellations that arrived before the
                                        // interaction was open
  std::shared_ptr<Interaction> closed;  // while closing: the interaction with its end
  AnswerDone winner;
  std::vector<AnswerDone> losers;
  core::TimerId deadline_timer = 0;
  core::TimerId grace_timer = 0;
  bool asker_left = false;  // the last caller that may cancel it has gone, perhaps before others
  std::optional<std::string> given_up;  // reason of the pending cancellation by the asker
};

}  // namespace parley::session
