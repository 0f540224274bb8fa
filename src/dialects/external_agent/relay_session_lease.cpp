// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/external_agent/relay_session_lease.h"

#include <utility>

namespace parley::external_agent {

RelaySessionLease::RelaySessionLease(std::string client_id,
                                     std::function<void(session::LeaveReason)> on_end)
    : on_end_(std::move(on_end)) {
  info_.client_id = std::move(client_id);
  info_.nickname = "relay";
  info_.role = session::ParticipantRole::observer;
  info_.dialect = "external-agent";
}

RelaySessionLease::~RelaySessionLease() {
  if (session_ != nullptr) session_->leave(*this);
}

void RelaySessionLease::enter(session::Session& session) {
  if (session.join(*this)) session_ = &session;
}

void RelaySessionLease::on_leave_required(session::LeaveReason reason) {
  if (session_ != nullptr) std::exchange(session_, nullptr)->leave(*this);
  on_end_(reason);
}

}  // namespace parley::external_agent
