// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/question_keeper.h"

#include <utility>
#include <vector>

namespace parley::app {

struct QuestionKeeper::Kept {
  session::Subscription subscription;
  std::vector<std::weak_ptr<Ended>> waiting;
};

std::shared_ptr<void> QuestionKeeper::ask(
    const session::SessionKey& workspace, session::AskRequest request,
    std::function<void(const session::InteractionPtr&)> opened, Ended ended) {
  const std::string id = workspace.id + '\0' + request.key;
  auto waiter = std::make_shared<Ended>(std::move(ended));
  const auto found = kept_.find(id);
  if (found != kept_.end()) {
    found->second->waiting.push_back(waiter);
    return waiter;
  }
  auto kept = std::make_shared<Kept>();
  kept->waiting.push_back(waiter);
  kept_.emplace(id, kept);
  // The hub may answer within its call; ask() promises not to.
  scheduler_.post([this, id, workspace, weak = std::weak_ptr(kept), request = std::move(request),
                   opened = std::move(opened)]() mutable {
    const auto here = weak.lock();
    if (!here) return;
    here->subscription = session::Subscription(hub_, workspace, scheduler_);
    here->subscription.ask(
        std::move(request),
        [opened = std::move(opened)](const session::InteractionPtr& interaction) {
          if (opened) opened(interaction);
        },
        [this, id](const core::Result<session::InteractionPtr>& done) { on_ended(id, done); });
  });
  return waiter;
}

void QuestionKeeper::on_ended(const std::string& id,
                              const core::Result<session::InteractionPtr>& ended) {
  const auto found = kept_.extract(id);
  if (!found) return;
  // Not destroyed here: its subscription is calling.
  scheduler_.post([kept = found.mapped()] {});
  for (const std::weak_ptr<Ended>& each : found.mapped()->waiting) {
    if (const auto waiter = each.lock()) (*waiter)(ended);
  }
}

}  // namespace parley::app
