// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/entropy.h"
#include "core/scheduler.h"
#include "core/work_gate.h"
#include "mcp/assistant_call.h"
#include "session/hub.h"
#include "session/subscription.h"

namespace parley::app {

// The questions of MCP clients of this server: each is an interaction of the caller's workspace.
// Used on the thread of `scheduler`; destruction abandons the waiting ones.
class HubCalls final : public mcp::AssistantCalls {
 public:
  // All references must outlive the object. `workspace`: whose people are asked.
  HubCalls(session::Hub& hub, core::WorkGate& gate, core::Entropy& entropy,
           core::Scheduler& scheduler, std::string_view workspace);
  ~HubCalls() override;

  mcp::CallId start(mcp::AssistantCall call, Done done) override;
  void cancel(mcp::CallId call, std::string_view reason) override;
  std::string status(mcp::CallId call) const override;

 private:
  struct Waiting {
    std::string key;
    Done done;
    bool open = false;  // people see it
    session::Subscription subscription;
  };

  void on_ended(mcp::CallId id, const core::Result<session::InteractionPtr>& ended);

  session::Hub& hub_;
  core::WorkGate& gate_;
  core::Entropy& entropy_;
  core::Scheduler& scheduler_;
  const session::SessionKey workspace_;
  std::map<mcp::CallId, std::shared_ptr<Waiting>> waiting_;
  mcp::CallId last_id_ = 0;
};

}  // namespace parley::app
