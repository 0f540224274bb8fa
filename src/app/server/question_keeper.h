// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/core/scheduler.h"
#include "model/session/hub.h"
#include "model/session/subscription.h"

namespace parley::app {

// Waits for questions in place of callers that come back later for the answer: the session cancels
// a question without a caller. Used on the thread of `scheduler`.
class QuestionKeeper {
 public:
  using Ended = std::function<void(const core::Result<session::InteractionPtr>&)>;

  QuestionKeeper(session::Hub& hub, core::Scheduler& scheduler)
      : hub_(hub), scheduler_(scheduler) {}

  // Asks, or attaches to the question that has this key, and waits for its end. `opened` runs once
  // it is durable and pending, and `ended` at its end; neither runs within the call. The result
  // ends the interest of this caller, not the question, when it is destroyed.
  std::shared_ptr<void> ask(const session::SessionKey& workspace, session::AskRequest request,
                            std::function<void(const session::InteractionPtr&)> opened,
                            Ended ended);
  // Leaves all questions, which stay open. For the end of the server.
  void clear() { kept_.clear(); }
  std::size_t size() const { return kept_.size(); }

 private:
  struct Kept;

  void on_ended(const std::string& id, const core::Result<session::InteractionPtr>& ended);

  session::Hub& hub_;
  core::Scheduler& scheduler_;
  std::map<std::string, std::shared_ptr<Kept>> kept_;  // by session and key
};

}  // namespace parley::app
