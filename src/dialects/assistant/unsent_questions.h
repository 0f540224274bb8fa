// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/session/session.h"

namespace parley::assistant {

// The pending questions of each session that no user interface has been sent: those that were
// opened while none was logged in, since the session was taken up. Such a question is on no page,
// so it may be pushed to one that does not list pending questions. Used on the thread of one shard.
class UnsentQuestions {
 public:
  // A user interface has joined. Returns the ids of the questions that no interface has been sent.
  std::vector<std::string> joined(const session::Session& session);
  // A user interface leaves; each call follows one of joined().
  void left(const session::Session& session);
  // An interface has been sent the interaction with this id.
  void sent(const session::Session& session, const std::string& id);

  // Sessions with an interface, or with pending questions when the last one left.
  std::size_t size() const { return states_.size(); }

 private:
  struct State {
    std::size_t interfaces = 0;
    std::uint64_t sent_until = 0;  // seq: while an interface is there, questions are sent at once
    std::set<std::string> unsent;
  };

  std::map<std::string, State> states_;  // by session
};

}  // namespace parley::assistant
