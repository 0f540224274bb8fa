// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/session/hub.h"
#include "runtime/tool/inbox.h"

namespace parley::tool {

// An inbox on sessions: a question is an interaction of the owner's assistant workspace
// (model/session/workspace.h), so every view of that workspace shows it, and it survives a restart.
// Asking again with the same key and prompt attaches to the pending question, or finds the answer
// that was given meanwhile.
class SessionInbox final : public Inbox {
 public:
  // `hub` must outlive every question.
  explicit SessionInbox(session::Hub& hub) : hub_(hub) {}

  // A server shutdown ends the wait with `unavailable` (field session::kShuttingDown); the question
  // stays.
  void ask(std::string owner, std::string key, session::InteractionKind kind,
           session::Prompt prompt, core::Scheduler& scheduler, const core::CancelToken& cancel,
           Done done) override;
  void withdraw(std::string owner, std::string prefix, std::string reason) override;

 private:
  session::Hub& hub_;
};

}  // namespace parley::tool
