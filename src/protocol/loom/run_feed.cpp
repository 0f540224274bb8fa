// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "protocol/loom/run_feed.h"

#include <string>
#include <utility>

namespace parley::loom {

void RunFeed::start(const core::Result<session::Session*>& session) {
  if (stopped_) return;
  if (!session) return tell_joined(core::fail(session.error()));
  if (core::Result<void> joined = (*session)->join(*this); !joined) {
    return tell_joined(core::fail(joined.error()));
  }
  session_ = *session;
  tell_joined(session_->visible_seq());
}

// Always later: a watch is told when its join() is over.
void RunFeed::tell_joined(core::Result<std::uint64_t> visible) {
  to_.post([watch = watch_, visible = std::move(visible)]() mutable {
    if (const auto self = watch.lock()) self->on_joined(std::move(visible));
  });
}

void RunFeed::stop_later(const std::shared_ptr<RunFeed>& feed) {
  feed->shard_.scheduler().post([feed] { feed->stop(); });
}

void RunFeed::stop() {
  stopped_ = true;
  if (session_ == nullptr) return;
  const std::string id = session_->id();
  std::exchange(session_, nullptr)->leave(*this);
  shard_.release(id);
}

void RunFeed::on_event(const event::Event& event) {
  on_events(std::make_shared<const event::Unit>(event::Unit{std::nullopt, {event}, {}}));
}

void RunFeed::on_events(const event::UnitPtr& unit) {
  if (same_thread()) return show(watch_, *unit);
  to_.post([watch = watch_, unit] { show(watch, *unit); });
}

void RunFeed::show(const std::weak_ptr<RunWatch>& watch, const event::Unit& unit) {
  const auto self = watch.lock();
  if (!self) return;
  for (const event::Event& event : unit.events) self->on_live(event);
}

void RunFeed::on_leave_required(session::LeaveReason reason) {
  stopped_ = true;
  if (session_ != nullptr) std::exchange(session_, nullptr)->leave(*this);
  to_.post([watch = watch_, reason] {
    if (const auto self = watch.lock()) self->on_leave_required(reason);
  });
}

}  // namespace parley::loom
