// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "core/cancel.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "session/interaction.h"

namespace parley::tool {

// Asks the people of an owner: the question stands in the assistant's inbox of that token, and
// whoever answers first, there or through the run's own channels, wins. Thread-safe.
class Inbox {
 public:
  Inbox() = default;
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  virtual ~Inbox() = default;

  // Asks and waits, as session::Session::ask(); `key` names the question in the owner's inbox, and
  // the same key with the same question finds the answer that was given before a restart. A cancel
  // takes the question back. Errors: those of Session::ask(), `cancelled`, `deadline_exceeded` (it
  // expired).
  using Done = absl::AnyInvocable<void(core::Result<session::Answer>)>;
  virtual void ask(std::string owner, std::string key, session::InteractionKind kind,
                   session::Prompt prompt, core::Scheduler& scheduler,
                   const core::CancelToken& cancel, Done done) = 0;
  // Takes back all questions that wait and whose keys begin with `prefix`; whoever waits for one is
  // told `cancelled`. One that cannot be taken back, because the store fails, waits until it
  // expires.
  virtual void withdraw(std::string owner, std::string prefix, std::string reason) = 0;
};

// What the keys of all questions of a run begin with. No id of a run has a slash.
inline std::string question_prefix(std::string_view run_id) { return std::string(run_id) + "/"; }

}  // namespace parley::tool
