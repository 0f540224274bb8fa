// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/v1/v1.h"

namespace parley::v1 {

// What a seat tells, each on the thread of its connection.
struct SeatEvents {
  // From now on every event after `visible` is told.
  std::function<void(std::uint64_t visible)> joined;
  // What became visible together; empty: events are not asked for.
  std::function<void(const event::Unit& unit)> events;
  // The last that is told: why the seat is lost (token_revoked, shutting_down, session_unavailable,
  // too_many_participants).
  std::function<void(std::string_view reason)> lost;
};

// The place of a stream in a session, as an observer there: through it the stream hears what
// happens, and that its token is no longer valid or the server goes down.
class SessionSeat {
 public:
  SessionSeat() = default;
  SessionSeat(const SessionSeat&) = delete;
  SessionSeat& operator=(const SessionSeat&) = delete;
  virtual ~SessionSeat() = default;
  // Gives the seat up; what was posted before may still be told.
  virtual void leave() = 0;
};

// Joins the session, which is made if it is not there. `to` is the connection's thread, on which
// this is called.
std::shared_ptr<SessionSeat> take_seat(const Context& context, session::SessionKey session,
                                       const std::string& nickname, core::Scheduler& to,
                                       SeatEvents events);

}  // namespace parley::v1
