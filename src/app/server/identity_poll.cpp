// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/identity_poll.h"

#include <spdlog/spdlog.h>

#include <string>

namespace parley::app {

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
