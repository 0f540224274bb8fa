// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/external_agent/room_lease.h"

#include <utility>

namespace parley::external_agent {

RoomLease::RoomLease(std::string client_id, std::function<void(session::LeaveReason)> on_end)
    : on_end_(std::move(on_end)) {
  info_.client_id = std::move(client_id);
  info_.nickname = "relay";
  info_.role = session::Role::observer;
  info_.dialect = "external-agent";
}

RoomLease::~RoomLease() {
  if (session_ != nullptr) session_->leave(*this);
}

void RoomLease::enter(session::Session& session) {
  if (session.join(*this)) session_ = &session;
}

void RoomLease::on_leave_required(session::LeaveReason reason) {
  if (session_ != nullptr) std::exchange(session_, nullptr)->leave(*this);
  on_end_(reason);
}

}  // namespace parley::external_agent
