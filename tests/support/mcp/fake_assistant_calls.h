// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agents/mcp/assistant_call.h"

namespace parley::mcp {

// An assistant whose calls the test answers. For tests.
class FakeAssistantCalls : public AssistantCalls {
 public:
  CallId start(AssistantCall call, Done done) override {
    const CallId id = ++last_id;
    started.push_back(std::move(call));
    open.emplace(id, std::move(done));
    return id;
  }
  void cancel(CallId call, std::string_view reason) override {
    if (open.erase(call) > 0) cancelled.emplace_back(call, reason);
  }
  std::string status(CallId) const override { return status_text; }

  void answer(CallId id, AssistantOutcome outcome) {
    auto done = std::move(open.at(id));
    open.erase(id);
    done(std::move(outcome));
  }

  CallId last_id = 0;
  std::vector<AssistantCall> started;
  std::map<CallId, Done> open;
  std::vector<std::pair<CallId, std::string>> cancelled;
  std::string status_text = "Waiting.";
};

}  // namespace parley::mcp
