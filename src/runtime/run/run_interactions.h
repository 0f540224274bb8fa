// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/core/cancel.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "model/session/hub.h"

namespace parley::run {

// Interactions of a run in the run's own session: the approval of a tool, or a call for the client.
// On the thread of that session. An interaction survives a restart: asking again with the same key
// and prompt attaches to it, or returns the answer that was given meanwhile.
class RunInteractions {
 public:
  // The person who answered, and the name that its client gave.
  struct Person {
    session::ActorName name;
    session::Holder holder;
  };
  using AnsweredBy = std::function<void(const Person& by)>;
  using Done = absl::AnyInvocable<void(core::Result<session::Answer>)>;

  // `session` is the run's, and must outlive this object; `hub` and `shard` must outlive every
  // interaction.
  RunInteractions(session::Hub& hub, session::Session& session, core::Scheduler& shard)
      : hub_(hub), session_(session), shard_(shard) {}

  // Opens an interaction and waits for its answer; a cancellation withdraws it, unless the server
  // shuts down. `done` is called once, later. Errors: those of Session::ask(), `cancelled`,
  // `deadline_exceeded`.
  void ask(session::AskRequest request, const core::CancelToken& cancel, Done done);
  // As ask(), in the inbox of the session's owner too (model/session/workspace.h). `answered_by` is
  // called before `done` if a person answered; may be empty.
  void ask_owner(session::AskRequest request, const core::CancelToken& cancel, Done done,
                 AnsweredBy answered_by = {});
  // Answers a pending approval with Allow, by the allowance of the run that `by` gave. A no-op if
  // it has been answered.
  void allow(const std::string& key, const Person& by);

 private:
  session::Hub& hub_;
  session::Session& session_;
  core::Scheduler& shard_;
};

// Key of a question about one call of a tool, "RUN/WHAT/CALL": the same after a restart.
std::string call_key(std::string_view run_id, std::string_view what, std::string_view call_id);

// Withdraws the pending interactions of a session whose keys begin with `prefix`. From any thread.
void withdraw_interactions(session::Hub& hub, session::SessionKey session, std::string prefix,
                           std::string reason);

}  // namespace parley::run
