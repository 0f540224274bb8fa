// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The part of HttpConnection that handles time: deadlines, the lowest rate of a body, the timer.
#include <algorithm>
#include <chrono>
#include <ratio>

#include "base/core/ask.h"
#include "base/net/server/http_connection.h"

namespace parley::net {

std::optional<core::MonoTime> HttpConnection::deadline() const {
  if (closing_) return std::nullopt;
  const ServerOptions& options = shared_.options;
  std::optional<core::MonoTime> earliest;
  const auto consider = [&](core::MonoTime at) {
    if (!earliest || at < *earliest) earliest = at;
  };
  if (stream_->queued() > 0) consider(stalled_since_ + options.body_timeout);
  if (exchange_ != nullptr || !incoming_.empty() || clogged()) return earliest;
  switch (intake_.state()) {
    case HttpParser::State::idle:
      if (!earliest) consider(phase_since_ + options.idle_timeout);
      break;
    case HttpParser::State::head:
      consider(phase_since_ + options.header_timeout);
      break;
    case HttpParser::State::body:
      consider(progress_at_ + options.body_timeout);
      consider(rate_since_ + options.body_timeout);
      break;
    case HttpParser::State::complete:
    case HttpParser::State::failed:
      break;
  }
  return earliest;
}

// One timer serves all deadlines; it is set anew only if it would fire too late.
void HttpConnection::arm() {
  if (stream_ == nullptr || closing_) return;
  const auto at = deadline();
  if (!at || (timer_ != 0 && timer_at_ <= *at)) return;
  core::Scheduler& scheduler = stream_->scheduler();
  scheduler.cancel(timer_);
  timer_at_ = *at;
  timer_ = scheduler.after(
      std::chrono::ceil<core::Millis>(*at - now()),
      core::unless_gone(weak_from_this(), [](HttpConnection& self) { self.on_timer(); }));
}

void HttpConnection::on_timer() {
  timer_ = 0;
  if (stream_ == nullptr || closing_) return;
  if (reader_stalls()) {
    shared_.tally.rejected("stalled_reader");
    return lose();
  }
  if (const auto at = deadline(); at && *at <= now() && !body_goes_on()) return time_out();
  arm();
}

// Fewest bytes of a body that must pass in a body_timeout, in either direction.
std::uint64_t HttpConnection::least_bytes() const {
  return kMinBodyBytesPerSecond * static_cast<std::uint64_t>(shared_.options.body_timeout.count()) /
         static_cast<std::uint64_t>(std::milli::den);
}

// True if the client has taken too little of its answers within a body_timeout.
bool HttpConnection::reader_stalls() {
  const std::uint64_t taken = written_ - std::min<std::uint64_t>(written_, stream_->queued());
  if (stream_->queued() != 0 && taken < taken_mark_ + least_bytes()) {
    return stalled_since_ + shared_.options.body_timeout <= now();
  }
  taken_mark_ = taken;
  stalled_since_ = now();
  return false;
}

// True if the rate of the body was high enough since the last check; then begins a new period.
bool HttpConnection::body_goes_on() {
  const core::Millis window = shared_.options.body_timeout;
  if (intake_.state() != HttpParser::State::body || progress_at_ + window <= now()) return false;
  if (intake_.body_taken() - rate_mark_ < least_bytes()) return false;
  rate_mark_ = intake_.body_taken();
  rate_since_ = now();
  return true;
}

// Restarts the time-outs: from `at` on the server waits for the client.
void HttpConnection::restart_clocks(core::MonoTime at) {
  phase_since_ = rate_since_ = progress_at_ = at;
  rate_mark_ = intake_.body_taken();
}

// The client took too long to send. An idle connection is closed without an error.
void HttpConnection::time_out() {
  if (intake_.state() == HttpParser::State::idle) return begin_close();
  last_ = true;
  incoming_.push_back(intake_.fail(408, "timeout",
                                   intake_.state() == HttpParser::State::head
                                       ? "The request's head did not arrive in time."
                                       : "The request's body did not arrive in time."));
  pump();
}

}  // namespace parley::net
