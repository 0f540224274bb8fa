// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/study_log.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/core/durable_file.h"
#include "base/core/limits.h"
#include "base/core/result.h"

namespace parley::study {

using core::Code;
using core::Result;

namespace {

constexpr std::uint32_t kMaxDoublings = 10;

// The lines of `text` after the first `count`.
std::string_view skip_lines(std::string_view text, std::uint64_t count) {
  for (; count > 0 && !text.empty(); --count) {
    const std::size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return text;
}

bool is_there(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

}  // namespace

StudyLog::StudyLog(Setup setup, event::SessionStore& store, core::Scheduler& worker,
                   LogCounters& counters)
    : setup_(std::move(setup)),
      store_(store),
      worker_(worker),
      counters_(counters),
      writer_(setup_.study_id) {}

StudyLog::~StudyLog() {
  // A pending timer has only a weak reference to this object.
  if (!dirty_ || !file_.is_open()) return;
  const Result<void> synced = file_.sync();
  if (!synced) spdlog::error("study {}: {}", setup_.study_id, synced.error().message);
}

std::string StudyLog::label() const {
  return "study " + setup_.study_id + ", log at line " + std::to_string(file_.next_index());
}

void StudyLog::level(Done done) {
  PARLEY_ASSERT(worker_.in_thread(), label() + ": levelled by another thread");
  waiters_.push_back(std::move(done));
  behind_ = true;
  settle();
}

void StudyLog::append(std::uint64_t first, std::uint64_t last, std::string lines) {
  PARLEY_ASSERT(worker_.in_thread(), label() + ": written to by another thread");
  PARLEY_ASSERT(first <= last && lines.ends_with('\n'),
                label() + ": given lines " + std::to_string(first) + " to " + std::to_string(last) +
                    ", " + std::to_string(lines.size()) + " bytes");
  announced_ = std::max(announced_, last + 1);
  // Lines that are skipped here are read from the store later, by the levelling.
  if (levelling_) return;
  if (behind_) return arm();
  PARLEY_ASSERT(file_.is_open(), label() + ": called level, and is not open");
  const std::uint64_t next = file_.next_index();
  if (last < next) return;
  if (first > next || !is_there(setup_.path)) {
    behind_ = true;
    return start_levelling();
  }
  const Result<void> written = file_.append(skip_lines(lines, next - first), last);
  if (!written) {
    behind_ = true;
    counters_.file_failures.fetch_add(1, std::memory_order_relaxed);
    spdlog::error("study {}: {} The lines are kept in the event store.", setup_.study_id,
                  written.error().message);
  } else {
    dirty_ = true;
  }
  arm();
}

void StudyLog::sync(Done done) {
  PARLEY_ASSERT(worker_.in_thread(), label() + ": synced by another thread");
  waiters_.push_back(std::move(done));
  settle();
}

void StudyLog::settle() {
  if (levelling_) return;
  if (behind_ || !is_there(setup_.path)) return start_levelling();
  sync_now();
}

void StudyLog::sync_now() {
  PARLEY_ASSERT(!levelling_, label() + ": synced while it is brought level");
  Result<void> synced;
  if (std::exchange(dirty_, false)) synced = file_.sync();
  if (synced) {
    failures_ = 0;
  } else {
    // The lines that were not durable are written again from the event store.
    behind_ = true;
    spoiled_ = file_.is_spoiled();
    durable_ = file_.durable();
    file_ = LogFile();
    // Renamed at once, so that no later object or server reads the file.
    if (spoiled_) static_cast<void>(drop_spoiled());
    count_failure();
    spdlog::error("study {}: {}", setup_.study_id, synced.error().message);
    arm();
  }
  std::vector<Done> waiters = std::exchange(waiters_, {});
  for (Done& done : waiters) done(synced);
}

void StudyLog::start_levelling() {
  if (std::exchange(levelling_, true)) return;
  const Result<void> opened = open_file();
  if (!opened) return end_levelling(opened);
  read_on();
}

Result<void> StudyLog::open_file() {
  PARLEY_TRY_VOID(drop_spoiled());
  if (file_.is_open() && is_there(setup_.path)) return {};
  PARLEY_TRY(LogFile file, LogFile::open(setup_.path, setup_.study_id, setup_.sync, durable_));
  file_ = std::move(file);
  dirty_ = true;
  return {};
}

void StudyLog::read_on() {
  event::ReadQuery query;
  query.session = setup_.session;
  query.after = file_.next_index();
  query.limit = core::limits::kMaxPageEvents;
  store_.read(std::move(query), worker_,
              [self = shared_from_this()](Result<event::EventPage> page) {
                self->take_page(std::move(page));
              });
}

void StudyLog::take_page(Result<event::EventPage> page) {
  PARLEY_ASSERT(levelling_ && file_.is_open(),
                label() + ": gets a page of events that it did not ask for");
  if (!page) return end_levelling(core::fail(std::move(page.error())));
  if (file_.next_index() > page->last_seq) {
    // The store was restored to an older state. Renames the file, so that its records are kept, and
    // writes a new one from the store.
    spdlog::error("study {}: the log has {} records, but the event store has only {}",
                  setup_.study_id, file_.next_index(), page->last_seq);
    Result<void> moved = set_aside("ahead");
    if (moved) {
      announced_ = 0;
      moved = open_file();
    }
    if (!moved) return end_levelling(moved);
    return read_on();
  }
  if (page->events.empty()) {
    if (file_.next_index() >= announced_) return end_levelling({});
    return end_levelling(
        core::fail(Code::data_loss, "The event store lacks records of the study."));
  }
  PARLEY_ASSERT(
      page->events.front().seq > file_.next_index() && page->events.back().seq <= page->last_seq,
      label() + ": read events " + std::to_string(page->events.front().seq) + " to " +
          std::to_string(page->events.back().seq) + " of " + std::to_string(page->last_seq));
  std::string lines;
  for (const event::Event& event : page->events) writer_.append(lines, event);
  const Result<void> written = file_.append(lines, page->events.back().seq - 1);
  if (!written) return end_levelling(written);
  dirty_ = true;
  counters_.records_behind.fetch_add(page->events.size(), std::memory_order_relaxed);
  if (page->more || file_.next_index() < announced_) return read_on();
  end_levelling({});
}

void StudyLog::end_levelling(Result<void> result) {
  PARLEY_ASSERT(levelling_, label() + ": brought level twice");
  levelling_ = false;
  if (result) {
    PARLEY_ASSERT(file_.is_open() && file_.next_index() >= announced_,
                  label() + ": called level, and lacks lines up to " + std::to_string(announced_));
    behind_ = false;
    announced_ = std::max(announced_, file_.next_index());
    return sync_now();
  }
  count_failure();
  spdlog::error("study {}: the log cannot be synchronised with the event store: {}",
                setup_.study_id, result.error().message);
  arm();
  std::vector<Done> waiters = std::exchange(waiters_, {});
  for (Done& done : waiters) done(result);
}

Result<void> StudyLog::drop_spoiled() {
  if (!spoiled_) return {};
  if (is_there(setup_.path)) {
    spdlog::error(
        "study {}: an earlier sync of the log failed; its content may be incomplete on the disk",
        setup_.study_id);
    Result<void> moved = set_aside("unsynced");
    if (!moved) return moved;
  }
  spoiled_ = false;
  return {};
}

// Renames the file instead of deleting it, because it may contain the only copy of a record.
Result<void> StudyLog::set_aside(const std::string& ending) {
  const std::string log_path =
      setup_.path + "." + ending + "-" + std::to_string(core::to_unix_ms(worker_.clock().wall()));
  spdlog::error("study {}: moving the log to {}", setup_.study_id, log_path);
  file_ = LogFile();
  durable_ = 0;
  if (!core::rename_durably(setup_.path, log_path)) {
    return core::fail(Code::data_loss,
                      std::string("Cannot move a study log: ") + std::strerror(errno) + ".");
  }
  return {};
}

void StudyLog::count_failure() {
  ++failures_;
  counters_.file_failures.fetch_add(1, std::memory_order_relaxed);
}

void StudyLog::arm() {
  if (timer_ != 0) return;
  const std::uint32_t doublings = std::min(std::max(failures_, 1U) - 1, kMaxDoublings);
  const core::Millis wait = std::min(kSyncInterval * (1U << doublings), kMaxRetryInterval);
  // While lines are missing from the file, the timer keeps this object alive, because no other
  // object would write them.
  timer_ = worker_.after(
      wait, core::unless_gone(weak_from_this(), [behind = behind_ ? shared_from_this() : nullptr](
                                                    StudyLog& self) { self.on_time(); }));
}

void StudyLog::on_time() {
  timer_ = 0;
  if (dirty_ || behind_) settle();
}

}  // namespace parley::study
