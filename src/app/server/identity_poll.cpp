// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/identity_poll.h"

#include <spdlog/spdlog.h>

#include <string>

#include "base/core/contain.h"

namespace parley::app {

void SharedRead::ask(core::Task done) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(done));
    if (waiting_.size() > 1) return;
  }
  thread_.post([this] { serve(); });
}

void SharedRead::serve() {
  std::vector<core::Task> tasks;
  {
    const std::scoped_lock lock(mutex_);
    tasks.swap(waiting_);
  }
  static_cast<void>(core::contain("tokens", read_));
  for (core::Task& task : tasks) static_cast<void>(core::contain("tokens", task));
}

void poll_identities(const Identities& of) {
  of.tokens.poll([&of](const auth::EndedToken& ended) {
    spdlog::info("token {} is no longer valid", ended.token_id);
    if (of.notifications != nullptr) of.notifications->service().forget_token(ended.token_id);
    if (of.oauth != nullptr) of.oauth->forget_token(ended.token_id);
    if (!ended.workspace_ended) return;
    of.hub.revoke(ended.workspace);
    if (of.notifications != nullptr) of.notifications->service().forget_owner(ended.workspace);
  });
  if (of.oauth != nullptr) of.oauth->poll();
  of.accounts.poll([&of](const std::string& workspace) {
    spdlog::info("the user of the workspace {} is no longer active", workspace);
    of.hub.revoke(workspace);
    if (of.notifications != nullptr) of.notifications->service().forget_owner(workspace);
  });
}

}  // namespace parley::app
