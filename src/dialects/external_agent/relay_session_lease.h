// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "model/session/hub.h"
#include "model/session/participant.h"

namespace parley::external_agent {

// Represents a relay session in the model: an observer in a session that is never stored. Through
// it the hub reports a revoked token or a shutdown to the relay session. Used on the relay
// session's thread.
class RelaySessionLease final : public session::Participant {
 public:
  // `on_end` is called at most once, on the relay session's thread, and must destroy nothing.
  RelaySessionLease(std::string client_id, std::function<void(session::LeaveReason)> on_end);
  ~RelaySessionLease() override;

  void enter(session::Session& session);

  const session::ParticipantInfo& info() const override { return info_; }
  void on_leave_required(session::LeaveReason reason) override;

 private:
  session::ParticipantInfo info_;
  std::function<void(session::LeaveReason)> on_end_;
  session::Session* session_ = nullptr;  // while joined
};

}  // namespace parley::external_agent
