// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/session_sink.h"

#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/core/utf8.h"
#include "model/event/event.h"
#include "runtime/stream/event_reader.h"

namespace parley::run {

using core::Result;

namespace {

constexpr std::string_view kDirection = "out";
// Limit of the events of one batch; a longer turn is passed to the session in several.
constexpr std::size_t kMaxBatch = 512;

}  // namespace

SessionSink::SessionSink(session::Session& session, core::Scheduler& shard,
                         std::function<void(const core::Error&)> failed)
    : session_(&session), shard_(shard), failed_(std::move(failed)) {}

void SessionSink::emit(std::string_view node_id, runtime::RunEvent event) {
  if (session_ == nullptr || error_) return;
  PARLEY_ASSERT(shard_.in_thread(), "run in session " + session_->id() +
                                        ": an event is emitted by another thread, node " +
                                        std::string(node_id));
  if (last_node_id_ != node_id) last_node_id_ = node_id;
  if (const auto usage = runtime::usage_in(event)) add_usage(spent_, *usage);
  follow_text(event);
  const std::string_view type = runtime::type_name(event);
  batch_durable_ |= event::durability_of(type) == event::Durability::durable;
  session::Session::NewEvent& added = batch_.emplace_back();
  added.direction = kDirection;
  added.type = type;
  added.payload = runtime::stored_payload(event, node_id);
  added.at = shard_.clock().wall();
  added.live = runtime::live_form(std::move(event), added.payload);
  if (batch_.size() >= kMaxBatch) return flush();
  if (std::exchange(turn_posted_, true)) return;
  shard_.post(core::unless_gone(weak_from_this(), [](SessionSink& self) {
    self.turn_posted_ = false;
    self.flush();
  }));
}

void SessionSink::follow_text(const runtime::RunEvent& event) {
  if (const auto* chunk = std::get_if<runtime::MessageChunk>(&event)) {
    const std::size_t room = kMaxUnfinishedText - unfinished_text_.size();
    unfinished_text_ += core::utf8_truncate(chunk->content, room);
    return;
  }
  // The state has the text of a node that ended; a reply that is retried is void.
  const auto* exit = std::get_if<runtime::NodeExit>(&event);
  const auto* custom = std::get_if<runtime::Custom>(&event);
  if ((exit != nullptr && !exit->error) ||
      (custom != nullptr && custom->value.starts_with(R"({"model_retry")"))) {
    unfinished_text_.clear();
  }
}

void SessionSink::when_durable(absl::AnyInvocable<void(Result<void>)> done) {
  flush();
  if (error_ || session_ == nullptr || last_stored_ == last_batch_) {
    return core::reply(shard_, std::move(done), error_ ? core::fail(*error_) : Result<void>());
  }
  waiters_.push_back({last_batch_, std::move(done)});
}

void SessionSink::append_durable(std::string_view type, std::string payload,
                                 session::Session::EventDone done) {
  if (session_ == nullptr) return;
  if (error_) return done(core::fail(*error_));
  batch_.push_back(
      {std::string(kDirection), std::string(type), std::move(payload), shard_.clock().wall()});
  commit(std::move(done));
}

void SessionSink::flush() {
  if (batch_.empty() || session_ == nullptr) return;
  if (batch_durable_) return commit({});
  const Result<std::uint64_t> seq = session_->append_flowing(
      std::exchange(batch_, {}), core::unless_gone(weak_from_this(), &SessionSink::fail));
  if (!seq) fail(seq.error());
}

void SessionSink::commit(session::Session::EventDone done) {
  PARLEY_ASSERT(session_ != nullptr && !batch_.empty() && !error_,
                "run in a session: batch " + std::to_string(last_batch_ + 1) +
                    " has no events, or follows a lost one");
  batch_durable_ = false;
  const std::uint64_t batch = ++last_batch_;
  session_->append_durable(std::exchange(batch_, {}),
                           [weak = weak_from_this(), batch,
                            done = std::move(done)](const Result<std::uint64_t>& seq) mutable {
                             if (const auto self = weak.lock()) self->on_committed(batch, seq);
                             if (done) done(seq);
                           });
}

void SessionSink::on_committed(std::uint64_t batch, const Result<std::uint64_t>& seq) {
  PARLEY_ASSERT(batch > last_stored_ && batch <= last_batch_,
                "run in a session: batch " + std::to_string(batch) + " of " +
                    std::to_string(last_batch_) + " is stored after batch " +
                    std::to_string(last_stored_));
  last_stored_ = batch;
  if (!seq) return fail(seq.error());
  std::vector<Waiter> waiting = std::exchange(waiters_, {});
  for (Waiter& waiter : waiting) {
    if (waiter.batch <= batch) {
      waiter.done(Result<void>());
    } else {
      waiters_.push_back(std::move(waiter));
    }
  }
}

void SessionSink::fail(const core::Error& error) {
  if (error_) return;
  error_ = error;
  batch_.clear();  // no event is stored after the gap
  for (Waiter& waiter : std::exchange(waiters_, {})) waiter.done(core::fail(error));
  shard_.post(core::unless_gone(weak_from_this(), [error](SessionSink& self) {
    if (self.failed_) self.failed_(error);
  }));
}

void SessionSink::close() {
  session_ = nullptr;
  failed_ = nullptr;
  waiters_.clear();
}

}  // namespace parley::run
