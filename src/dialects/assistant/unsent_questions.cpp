// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/assistant/unsent_questions.h"

#include <algorithm>

#include "base/core/assert.h"

namespace parley::assistant {

std::vector<std::string> UnsentQuestions::joined(const session::Session& session) {
  State& state = states_[session.id()];
  const std::uint64_t sent_until = std::max(state.sent_until, session.taken_up_seq());
  std::set<std::string> unsent;
  for (const session::InteractionPtr& pending : session.pending()) {
    const bool was_unsent = state.unsent.contains(pending->id);
    const bool came_between = state.interfaces == 0 && pending->opened_seq > sent_until &&
                              pending->opened_seq <= session.visible_seq();
    if (was_unsent || came_between) unsent.insert(pending->id);
  }
  state.unsent = std::move(unsent);
  ++state.interfaces;
  return {state.unsent.begin(), state.unsent.end()};
}

void UnsentQuestions::left(const session::Session& session) {
  const auto found = states_.find(session.id());
  PARLEY_ASSERT(found != states_.end() && found->second.interfaces > 0,
                "an interface leaves session " + session.id() + " that never joined");
  State& state = found->second;
  if (--state.interfaces > 0) return;
  state.sent_until = session.visible_seq();
  if (session.pending().empty()) states_.erase(found);
}

void UnsentQuestions::sent(const session::Session& session, const std::string& id) {
  const auto found = states_.find(session.id());
  if (found != states_.end()) found->second.unsent.erase(id);
}

}  // namespace parley::assistant
