// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/journal.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "services/study/opened_record.h"

namespace parley::study {

using core::Result;

namespace {

// Limits of a batch: a larger one is passed to the store before the end of the turn.
// Limit (Studies): records of one commit. Reached: another commit.
constexpr std::size_t kBatchRecords = 1024;
// Limit (Studies): bytes of one commit. Reached: another commit.
constexpr std::size_t kBatchBytes = 4U << 20U;
// The same for lines passed to the log.
constexpr std::size_t kLineBytes = 1U << 20U;

}  // namespace

Journal::Journal(Study study, Setup setup, std::shared_ptr<StudyLog> log, LogCounters& counters,
                 std::shared_ptr<void> keep)
    : keep_(std::move(keep)),
      study_(std::move(study)),
      setup_(setup),
      log_(std::move(log)),
      counters_(counters),
      writer_(study_.id),
      file_bytes_(std::make_shared<std::atomic<std::size_t>>(0)) {
  info_.client_id = "study-log-" + study_.id;
  info_.nickname = "study log";
  info_.role = session::ParticipantRole::observer;
  info_.dialect = "external-agent";
  info_.connected_at = setup_.shard.clock().wall();
}

Journal::~Journal() {
  take_off(store_bytes_);
  // The log is used and destroyed on the worker's thread.
  if (log_) setup_.worker.post([log = log_] {});
}

Result<void> Journal::join(session::Session& session) {
  PARLEY_ASSERT(session_ == nullptr, label() + ": joins its session twice");
  PARLEY_ASSERT(session.id() == study_.session,
                label() + ": joins session " + session.id() + " instead of " + study_.session);
  session_ = &session;
  given_records_ = session.visible_seq();
  next_line_ = session.visible_seq();
  given_bytes_ = setup_.bytes;
  return session.join(*this);
}

void Journal::leave() {
  PARLEY_ASSERT(session_ != nullptr && !left_, label() + ": leaves its session twice");
  PARLEY_ASSERT(batch_.empty() && in_store_.empty(),
                label() + ": leaves with " + std::to_string(batch_.size()) + " records and " +
                    std::to_string(in_store_.size()) + " batches that are not stored");
  left_ = true;
  session_->leave(*this);
}

std::size_t Journal::record(const Record& record) {
  PARLEY_ASSERT(session_ != nullptr && !left_,
                label() + ": a record is given before it joins or after it has left");
  PARLEY_ASSERT(setup_.shard.in_thread(), label() + ": a record is given by another thread");
  if (!setup_.keep_records && record.type != kOpenedType && record.type != kClosedType) return 0;
  bool truncated = false;
  session::Session::NewEvent event{std::string(record.direction), std::string(record.type),
                                   event_payload(record, truncated), setup_.shard.clock().wall()};
  if (truncated) {
    counters_.records_cut.fetch_add(1, std::memory_order_relaxed);
    spdlog::warn("study {}: a record of {} bytes was truncated because it is too large", study_.id,
                 record.payload.size());
  }
  const std::size_t bytes = sizeof(event::Event) + event.payload.size();
  const std::size_t payload_bytes = event.payload.size();
  ++given_records_;
  given_bytes_ += payload_bytes;
  batch_bytes_ += bytes;
  store_bytes_ += bytes;
  counters_.waiting_bytes.fetch_add(bytes, std::memory_order_relaxed);
  batch_.push_back(std::move(event));
  if (batch_.size() >= kBatchRecords || batch_bytes_ >= kBatchBytes) {
    submit();
  } else {
    gather();
  }
  return payload_bytes;
}

std::optional<core::Error> Journal::full() const {
  if (!is_full()) return std::nullopt;
  if (setup_.max_records > 0 && given_records_ >= setup_.max_records) {
    return core::Error{core::Code::resource_exhausted,
                       "The study session has " + std::to_string(given_records_) +
                           " records, which is the limit (studies.records). End it.",
                       {}};
  }
  if (setup_.max_bytes > 0 && given_bytes_ >= setup_.max_bytes) {
    return core::Error{core::Code::resource_exhausted,
                       "The study session has " + std::to_string(given_bytes_) +
                           " bytes of records, which is the limit (studies.bytes). End it.",
                       {}};
  }
  return std::nullopt;
}

std::size_t Journal::pending_bytes() const {
  return store_bytes_ + lines_.size() + file_bytes_->load(std::memory_order_relaxed);
}

void Journal::flush(Done done) {
  submit();
  waiters_.push_back({last_batch_, std::move(done)});
  schedule_turn();
}

void Journal::gather() {
  if (setup_.gather.count() == 0) return schedule_turn();
  if (std::exchange(gathering_, true)) return;
  const auto gathered = [](Journal& self) {
    self.gathering_ = false;
    self.turn();
  };
  setup_.shard.after(setup_.gather, core::unless_gone(weak_from_this(), gathered));
}

void Journal::schedule_turn() {
  if (std::exchange(turn_posted_, true)) return;
  setup_.shard.post(core::unless_gone(weak_from_this(), [](Journal& self) { self.turn(); }));
}

void Journal::turn() {
  turn_posted_ = false;
  submit();
  hand_over();
  std::vector<Waiter> waiting = std::exchange(waiters_, {});
  for (Waiter& waiter : waiting) {
    const bool stored = in_store_.empty() || *in_store_.begin() > waiter.batch;
    if (stored) {
      answer(std::move(waiter.done));
    } else {
      waiters_.push_back(std::move(waiter));
    }
  }
}

void Journal::submit() {
  if (batch_.empty()) return;
  const std::uint64_t batch = ++last_batch_;
  const std::size_t count = batch_.size();
  const std::size_t bytes = std::exchange(batch_bytes_, 0);
  PARLEY_ASSERT(bytes <= store_bytes_, label() + ": batch " + std::to_string(batch) + " has " +
                                           std::to_string(bytes) + " bytes, and only " +
                                           std::to_string(store_bytes_) + " wait");
  in_store_.insert(batch);
  session_->append_durable(std::exchange(batch_, {}), [self = shared_from_this(), batch, count,
                                                       bytes](const Result<std::uint64_t>& seq) {
    self->take_off(bytes);
    self->on_submitted(batch, count, seq);
  });
}

void Journal::take_off(std::size_t bytes) {
  PARLEY_ASSERT(bytes <= store_bytes_, label() + ": " + std::to_string(bytes) +
                                           " bytes are stored of " + std::to_string(store_bytes_));
  store_bytes_ -= bytes;
  const std::uint64_t before = counters_.waiting_bytes.fetch_sub(bytes, std::memory_order_relaxed);
  PARLEY_ASSERT(bytes <= before, label() + ": " + std::to_string(bytes) +
                                     " bytes are stored, and all studies together wait for " +
                                     std::to_string(before));
}

void Journal::on_submitted(std::uint64_t batch, std::size_t count,
                           const Result<std::uint64_t>& seq) {
  const std::size_t known = in_store_.erase(batch);
  PARLEY_ASSERT(known == 1, label() + ": batch " + std::to_string(batch) + " of " +
                                std::to_string(last_batch_) + " is answered twice by the store");
  if (seq) {
    counters_.records.fetch_add(count, std::memory_order_relaxed);
  } else {
    lost_ += count;
    counters_.records_lost.fetch_add(count, std::memory_order_relaxed);
    spdlog::error("study {}: {} records were not stored: {}", study_.id, count,
                  seq.error().message);
    if (!failure_) failure_ = seq.error();
  }
  // The session delivers these events next, in this task; the posted turn follows them.
  schedule_turn();
}

void Journal::on_event(const event::Event& event) {
  if (!log_) return;
  const std::uint64_t index = event.seq - 1;
  // The lines of one piece need consecutive indexes: the log counts from the index of the first
  // line.
  PARLEY_ASSERT(event.seq > 0 && index >= next_line_ && (lines_.empty() || index == next_line_),
                label() + ": event " + std::to_string(event.seq) +
                    " is shown, and the line that follows has index " + std::to_string(next_line_));
  next_line_ = index + 1;
  if (lines_.empty()) first_line_ = index;
  last_line_ = index;
  writer_.append(lines_, event);
  if (lines_.size() >= kLineBytes) hand_over();
}

void Journal::hand_over() {
  if (lines_.empty()) return;
  PARLEY_ASSERT(log_ != nullptr && first_line_ <= last_line_,
                label() + ": lines " + std::to_string(first_line_) + " to " +
                    std::to_string(last_line_) + " are handed over");
  const std::size_t bytes = lines_.size();
  file_bytes_->fetch_add(bytes, std::memory_order_relaxed);
  setup_.worker.post([log = log_, waiting = file_bytes_, bytes, first = first_line_,
                      last = last_line_, lines = std::exchange(lines_, {})]() mutable {
    log->append(first, last, std::move(lines));
    waiting->fetch_sub(bytes, std::memory_order_relaxed);
  });
}

void Journal::answer(Done done) {
  if (std::optional<core::Error> failure = std::exchange(failure_, std::nullopt)) {
    done(core::fail(std::move(*failure)));
    return;
  }
  if (!log_) return done({});
  setup_.worker.post([log = log_, &shard = setup_.shard, done = std::move(done)]() mutable {
    log->sync(core::reply_on(shard, std::move(done)));
  });
}

}  // namespace parley::study
