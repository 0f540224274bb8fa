// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "core/cancel.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "session/hub.h"

namespace parley::run {

// Interactions of a run in the run's own session: the approval of a tool, a call that the client
// carries out. On the thread of that session. An interaction survives a restart: asked again with
// the same key and prompt it goes on, or has the answer that was given meanwhile.
class RunInteractions {
 public:
  using AnsweredBy = std::function<void(const session::Actor& by)>;
  using Done = absl::AnyInvocable<void(core::Result<session::Answer>)>;

  // `session` is the run's, and outlives this; `hub` and `shard` outlive every interaction.
  RunInteractions(session::Hub& hub, session::Session& session, core::Scheduler& shard)
      : hub_(hub), session_(session), shard_(shard) {}

  // Opens it and waits for its answer; a cancel takes it back, unless the server goes down. `done`
  // is called once, later. Errors: those of Session::ask(), `cancelled`, `deadline_exceeded`.
  void ask(session::AskRequest request, const core::CancelToken& cancel, Done done);
  // The same, and shows it in the inbox of the session's owner too (session/workspace.h): an answer
  // that is given there is an answer here, and the first wins.
  // `answered_by` is told before `done` where somebody answered; may be empty.
  void ask_owner(session::AskRequest request, const core::CancelToken& cancel, Done done,
                 AnsweredBy answered_by = {});
  // Answers a pending approval in the name of `by`. Nothing happens if it has its answer.
  void allow(const std::string& key, const session::Actor& by);

 private:
  session::Hub& hub_;
  session::Session& session_;
  core::Scheduler& shard_;
};

// Ends what shows this interaction in the inbox of `owner`, if anything does. From any thread.
void settle_in_inbox(session::Hub& hub, const std::string& owner, session::InteractionPtr original);

// The key of what is asked about one call of a tool, "RUN/WHAT/CALL": the same after a restart.
std::string call_key(std::string_view run_id, std::string_view what, std::string_view call_id);

// Withdraws the pending interactions of a session whose keys begin with `prefix`. From any thread.
void withdraw_interactions(session::Hub& hub, session::SessionKey session, std::string prefix,
                           std::string reason);

}  // namespace parley::run
