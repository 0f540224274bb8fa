// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/write_thread.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/core/contain.h"

namespace parley::event {
namespace {

// Longest time that a slice of retention waits for an empty queue.
constexpr std::chrono::seconds kSweepPatience{1};
// Pause between two slices of one sweep.
constexpr core::Millis kSlicePause{10};

struct Answer {
  SessionStore::Done<Revision> done;
  core::Result<Revision> result;
};

struct Answers {
  core::Scheduler* scheduler = nullptr;
  std::vector<Answer> list;
};

std::vector<Answer>& answers_of(std::vector<Answers>& all, core::Scheduler* scheduler) {
  for (Answers& answers : all) {
    if (answers.scheduler == scheduler) return answers.list;
  }
  return all.emplace_back(Answers{scheduler, {}}).list;
}

void post(Answers& answers) {
  answers.scheduler->post([list = std::move(answers.list)]() mutable {
    for (Answer& answer : list) {
      // An exception in one caller's callback must not keep the others from running.
      static_cast<void>(
          core::contain("store answer", [&] { answer.done(std::move(answer.result)); }));
    }
  });
}

// True for errors of SQLite that only the disk causes; errors of a unit itself name a field or have
// another code.
bool is_of_disk(const core::Error& error) {
  return error.field.empty() &&
         (error.code == core::Code::resource_exhausted || error.code == core::Code::data_loss ||
          error.code == core::Code::permission_denied);
}

void add(std::atomic<std::uint64_t>& counter, std::uint64_t count = 1) {
  counter.fetch_add(count, std::memory_order_relaxed);
}

}  // namespace

WriteThread::WriteThread(std::unique_ptr<UnitWriter> writer, const Settings& settings,
                         const core::Clock& clock)
    : settings_(settings),
      writer_(std::move(writer)),
      retention_(settings.retention, clock),
      queue_(settings.group),
      next_sweep_(settings.retention.keeps_everything() ? TimePoint::max()
                                                        : std::chrono::steady_clock::now()),
      next_probe_(next_check()),
      thread_([this] { run(); }) {}

WriteThread::~WriteThread() { drain(); }

bool WriteThread::push(QueuedUnit& item) {
  const UnitPtr flowing = item.flowing ? item.unit : nullptr;
  if (flowing) begin_flowing(flowing->events.front().session);
  const CommitQueue::Push pushed = queue_.push(item);
  if (pushed == CommitQueue::Push::queued) return true;
  if (flowing) end_flowing(flowing->events.front().session);
  if (pushed == CommitQueue::Push::closed) return false;
  add(flowing_failed_);
  core::reply(*item.scheduler, std::move(item.done), core::fail(queue_full()));
  return true;
}

void WriteThread::drain() {
  queue_.close();
  if (!thread_.joinable()) return;
  writer_->give_up();
  thread_.join();
}

void WriteThread::finish() {
  PARLEY_ASSERT(!thread_.joinable(), "the log is emptied while " +
                                         std::to_string(queue_.waiting_bytes()) +
                                         " bytes wait for the thread that writes");
  if (!writer_) return;
  writer_->finish();
  writer_.reset();
}

void WriteThread::run() {
  writer_->watch_waits([this](const core::Error& error) { note_fault(error); });
  while (true) {
    std::vector<QueuedUnit> group = queue_.take(std::min(next_sweep_, next_probe_));
    const bool idle = group.empty();
    if (idle && queue_.drained()) return;
    if (!idle) commit_group(group);
    writer_->after_group();
    log_pages_.store(writer_->log_pages(), std::memory_order_relaxed);
    sweep_if_due(idle);
    probe_if_due();
  }
}

void WriteThread::commit_group(std::vector<QueuedUnit>& group) {
  units_.clear();
  for (const QueuedUnit& item : group) {
    if (!item.barrier && !item.refused) units_.push_back(item.unit.get());
  }
  if (!units_.empty()) {
    writer_->write(units_, results_);
    add(groups_);
    note_results();
  } else {
    results_.clear();
  }
  finish_group(group);
}

void WriteThread::finish_group(std::vector<QueuedUnit>& group) {
  PARLEY_ASSERT(results_.size() == units_.size() && units_.size() <= group.size(),
                "a group of " + std::to_string(group.size()) + " has " +
                    std::to_string(units_.size()) + " units and " +
                    std::to_string(results_.size()) + " results");
  std::vector<Answers> all;
  std::size_t next = 0;
  for (QueuedUnit& item : group) {
    if (item.barrier) {
      item.done(Revision{0});
      continue;
    }
    core::Result<Revision> result;
    if (item.refused) {
      result = core::fail(std::move(*item.refused));
    } else {
      PARLEY_ASSERT(next < results_.size() && units_[next] == item.unit.get(),
                    "result " + std::to_string(next) + " of " + std::to_string(results_.size()) +
                        " is that of another unit");
      result = std::move(results_[next++]);
    }
    PARLEY_ASSERT(item.done, "a unit is answered twice");
    add(result ? units_done_ : units_failed_);
    if (result && settings_.on_stored) settings_.on_stored(*item.unit);
    if (item.flowing) count_flowing(*item.unit, result);
    answers_of(all, item.scheduler).push_back({std::move(item.done), std::move(result)});
  }
  PARLEY_ASSERT(next == results_.size(), std::to_string(results_.size()) +
                                             " units were written and " + std::to_string(next) +
                                             " are answered");
  for (Answers& answers : all) post(answers);
}

bool WriteThread::flowing_waits(const std::string& session) const {
  const std::scoped_lock lock(flowing_mutex_);
  return flowing_waiting_.contains(session);
}

void WriteThread::begin_flowing(const std::string& session) {
  const std::scoped_lock lock(flowing_mutex_);
  ++flowing_waiting_[session];
}

void WriteThread::end_flowing(const std::string& session) {
  const std::scoped_lock lock(flowing_mutex_);
  const auto found = flowing_waiting_.find(session);
  PARLEY_ASSERT(found != flowing_waiting_.end() && found->second > 0,
                "a flowing unit is answered that nobody waits for");
  if (--found->second == 0) flowing_waiting_.erase(found);
}

void WriteThread::count_flowing(const Unit& unit, const core::Result<Revision>& result) {
  end_flowing(unit.events.front().session);
  if (result) return;
  add(flowing_failed_);
  spdlog::error("store: flowing events are lost: {}", result.error().message);
}

void WriteThread::sweep_if_due(bool idle) {
  if (next_sweep_ == TimePoint::max()) return;
  const TimePoint now = std::chrono::steady_clock::now();
  if (now < next_sweep_ || (!idle && now < next_sweep_ + kSweepPatience)) return;
  const core::Result<RetentionSweep::Slice> slice = writer_->sweep(retention_);
  if (!slice) {
    add(sweeps_failed_);
    spdlog::warn("store: retention failed: {}", slice.error().message);
  } else {
    add(events_dropped_, slice->dropped);
  }
  // The home never comes back: another try would fail in the same way for ever.
  if (!slice && slice.error().code == core::Code::owned_elsewhere) {
    next_sweep_ = TimePoint::max();
    return;
  }
  const bool pause_long = !slice || slice->finished;
  next_sweep_ = now + (pause_long ? settings_.retention.interval : kSlicePause);
}

// Other refusals than the disk's say nothing about it.
void WriteThread::note_results() {
  const core::Error* fault = nullptr;
  for (const core::Result<Revision>& result : results_) {
    if (result) return note_success();
    if (is_of_disk(result.error())) fault = &result.error();
  }
  if (fault != nullptr) note_fault(*fault);
}

void WriteThread::note_fault(const core::Error& error) {
  next_probe_ = std::chrono::steady_clock::now() + kProbeInterval;
  const std::scoped_lock lock(fault_mutex_);
  if (!fault_) spdlog::error("store: nothing can be written: {}", error.message);
  fault_ = error;
}

void WriteThread::note_success() {
  next_probe_ = next_check();
  const std::scoped_lock lock(fault_mutex_);
  if (!fault_) return;
  fault_.reset();
  spdlog::info("store: writes succeed again");
}

WriteThread::TimePoint WriteThread::next_check() const {
  return writer_->needs_checks() ? std::chrono::steady_clock::now() + kProbeInterval
                                 : TimePoint::max();
}

void WriteThread::probe_if_due() {
  if (std::chrono::steady_clock::now() < next_probe_) return;
  const core::Result<void> done = writable() ? writer_->check() : writer_->probe();
  if (done) return note_success();
  note_fault(done.error());
  // The home never comes back.
  if (done.error().code == core::Code::owned_elsewhere) next_probe_ = TimePoint::max();
}

core::Result<void> WriteThread::writable() const {
  const std::scoped_lock lock(fault_mutex_);
  return fault_ ? core::fail(fault_->code, "The server cannot store anything: " + fault_->message +
                                               " It is tried again every second.")
                : core::Result<void>();
}

StoreStats WriteThread::stats() const {
  StoreStats stats;
  stats.groups = groups_.load(std::memory_order_relaxed);
  stats.units = units_done_.load(std::memory_order_relaxed);
  stats.units_failed = units_failed_.load(std::memory_order_relaxed);
  stats.flowing_failed = flowing_failed_.load(std::memory_order_relaxed);
  stats.events_dropped = events_dropped_.load(std::memory_order_relaxed);
  stats.sweeps_failed = sweeps_failed_.load(std::memory_order_relaxed);
  stats.queue_bytes = queue_.waiting_bytes();
  stats.wal_pages = log_pages_.load(std::memory_order_relaxed);
  return stats;
}

}  // namespace parley::event
