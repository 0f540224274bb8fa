// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/core/cancel.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "model/session/interaction.h"

namespace parley::tool {

// Asks the people of an owner: the question appears in the assistant's inbox of that token. The
// first answer wins, from there or through the run's own channels. Thread-safe.
class Inbox {
 public:
  Inbox() = default;
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  virtual ~Inbox() = default;

  // Asks and waits, as session::Session::ask(). `key` names the question in the owner's inbox; the
  // same key with the same question finds an answer that was given before a restart. A cancellation
  // withdraws the question. Errors: those of Session::ask(), `cancelled`, `deadline_exceeded` (it
  // expired).
  using Done = absl::AnyInvocable<void(core::Result<session::Answer>)>;
  virtual void ask(std::string owner, std::string key, session::InteractionKind kind,
                   session::Prompt prompt, core::Scheduler& scheduler,
                   const core::CancelToken& cancel, Done done) = 0;
  // Withdraws all pending questions whose keys begin with `prefix`; their callers get `cancelled`.
  // If the store fails, a question stays until it expires.
  virtual void withdraw(std::string owner, std::string prefix, std::string reason) = 0;
};

// Prefix of the keys of all questions of a run. No run id contains a slash.
inline std::string question_prefix(std::string_view run_id) { return std::string(run_id) + "/"; }

}  // namespace parley::tool
