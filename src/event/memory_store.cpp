// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "event/memory_store.h"

#include <algorithm>

#include "core/limits.h"

namespace parley::event {
namespace {

template <typename T>
void reply(core::Scheduler& scheduler, EventStore::Done<T> done, core::Result<T> result) {
  scheduler.post(
      [done = std::move(done), result = std::move(result)]() mutable { done(std::move(result)); });
}

bool wanted(const ReadQuery& query, const Event& event) {
  if (query.types.empty()) return true;
  return std::find(query.types.begin(), query.types.end(), event.type) != query.types.end();
}

}  // namespace

core::Result<void> MemoryStore::store(const Unit& unit) {
  ++commits_;
  if (failures_ > 0) {
    --failures_;
    return core::fail(failure_);
  }
  if (unit.drop) return drop(*unit.drop);
  std::string id;
  if (!unit.events.empty()) {
    id = unit.events.front().session;
  } else if (unit.session) {
    id = unit.session->id;
  }
  Kept& kept = sessions_[id];
  if (!unit.events.empty()) {
    const Event& first = unit.events.front();
    const std::uint64_t expected = kept.row.last_seq + 1;
    if (first.seq < expected || (first.seq > expected && first.type != kNumbersSkipped)) {
      return core::fail(core::Code::failed_precondition, "The event does not follow the last one.");
    }
  }
  if (unit.session) {
    const std::uint64_t last_seq = kept.row.last_seq;
    const std::uint64_t first_seq = kept.row.first_seq;
    kept.row = *unit.session;
    kept.row.last_seq = last_seq;
    kept.row.first_seq = first_seq;
  }
  for (const Event& event : unit.events) {
    kept.row.last_seq = event.seq;
    kept.events.push_back(event);
  }
  for (const InteractionRow& row : unit.interactions) {
    if (!kept.interactions.contains(row.key)) order_.emplace_back(row.session, row.key);
    kept.interactions[row.key] = row;
  }
  return {};
}

core::Result<void> MemoryStore::drop(const HistoryDrop& drop) {
  const auto found = sessions_.find(drop.session);
  if (found == sessions_.end()) {
    return core::fail(core::Code::not_found, "No session has this id.", "session");
  }
  Kept& kept = found->second;
  const std::uint64_t keep = std::min(drop.before, kept.row.last_seq + 1);
  const auto goes = [keep](const auto& one) { return one.second.opened_seq < keep; };
  for (const auto& one : kept.interactions) {
    if (!goes(one) || one.second.state != "pending") continue;
    return core::fail(core::Code::failed_precondition,
                      "A question of this session waits for its answer.", "session");
  }
  std::erase_if(order_, [&](const auto& one) {
    return one.first == drop.session && kept.interactions.at(one.second).opened_seq < keep;
  });
  std::erase_if(kept.interactions, goes);
  std::erase_if(kept.events, [keep](const Event& event) { return event.seq < keep; });
  kept.row.first_seq =
      kept.events.empty() ? std::max(kept.row.first_seq, keep) : kept.events.front().seq;
  return {};
}

void MemoryStore::commit(UnitPtr unit, core::Scheduler& scheduler, Done<void> done) {
  const std::scoped_lock lock(mutex_);
  for (const UnitPtr& earlier : std::exchange(held_, {})) static_cast<void>(store(*earlier));
  reply(scheduler, std::move(done), store(*unit));
}

void MemoryStore::append_flowing(UnitPtr unit) {
  const std::scoped_lock lock(mutex_);
  if (holding_) {
    held_.push_back(std::move(unit));
  } else {
    static_cast<void>(store(*unit));
  }
}

void MemoryStore::hold_flowing() {
  const std::scoped_lock lock(mutex_);
  holding_ = true;
}

void MemoryStore::lose_held() {
  const std::scoped_lock lock(mutex_);
  held_.clear();
}

void MemoryStore::read(ReadQuery query, core::Scheduler& scheduler, Done<EventPage> done) {
  const std::scoped_lock lock(mutex_);
  EventPage page;
  const auto it = sessions_.find(query.session);
  if (it != sessions_.end()) {
    const std::size_t limit = std::min(query.limit, core::limits::kMaxPageEvents);
    const Kept& kept = it->second;
    page.first_seq = kept.row.first_seq;
    page.last_seq = kept.row.last_seq;
    for (const Event& event : kept.events) {
      if (event.seq <= query.after || !wanted(query, event)) continue;
      if (query.before && event.seq >= *query.before) break;
      page.events.push_back(event);
    }
    page.more = page.events.size() > limit;
    if (page.more && query.before) {
      page.events.erase(page.events.begin(),
                        page.events.end() - static_cast<std::ptrdiff_t>(limit));
    } else if (page.more) {
      page.events.resize(limit);
    }
  }
  reply<EventPage>(scheduler, std::move(done), std::move(page));
}

void MemoryStore::count(std::string session, std::string type, core::Scheduler& scheduler,
                        Done<std::uint64_t> done) {
  const std::scoped_lock lock(mutex_);
  const auto it = sessions_.find(session);
  std::ptrdiff_t count = 0;
  if (it != sessions_.end()) {
    const std::vector<Event>& events = it->second.events;
    count = std::count_if(events.begin(), events.end(),
                          [&type](const Event& event) { return event.type == type; });
  }
  reply<std::uint64_t>(scheduler, std::move(done), static_cast<std::uint64_t>(count));
}

void MemoryStore::session(std::string id, core::Scheduler& scheduler, Done<SessionRow> done) {
  const std::scoped_lock lock(mutex_);
  const auto it = sessions_.find(id);
  if (it == sessions_.end()) {
    reply<SessionRow>(scheduler, std::move(done),
                      core::fail(core::Code::not_found, "No session has this id.", "session"));
    return;
  }
  reply<SessionRow>(scheduler, std::move(done), it->second.row);
}

void MemoryStore::sessions(std::string owner, std::size_t limit, core::Scheduler& scheduler,
                           Done<std::vector<SessionRow>> done) {
  const std::scoped_lock lock(mutex_);
  std::vector<SessionRow> rows;
  for (const auto& [id, kept] : sessions_) {
    if (kept.row.owner != owner || kept.events.empty() || rows.size() >= limit) continue;
    rows.push_back(kept.row);
  }
  reply<std::vector<SessionRow>>(scheduler, std::move(done), std::move(rows));
}

StoredInteraction MemoryStore::stored(const Kept& kept, const InteractionRow& row) const {
  StoredInteraction result;
  result.row = row;
  for (const Event& event : kept.events) {
    if (event.seq == row.opened_seq) result.opened_payload = event.payload;
    if (event.seq == row.closed_seq) result.closed_payload = event.payload;
  }
  return result;
}

void MemoryStore::pending(std::string session, core::Scheduler& scheduler,
                          Done<std::vector<StoredInteraction>> done) {
  const std::scoped_lock lock(mutex_);
  std::vector<StoredInteraction> result;
  for (const auto& [owner, key] : order_) {
    if (!session.empty() && owner != session) continue;
    const Kept& kept = sessions_.at(owner);
    const InteractionRow& row = kept.interactions.at(key);
    if (row.state == "pending") result.push_back(stored(kept, row));
  }
  reply<std::vector<StoredInteraction>>(scheduler, std::move(done), std::move(result));
}

void MemoryStore::interaction(std::string session, std::string key, core::Scheduler& scheduler,
                              Done<std::optional<StoredInteraction>> done) {
  const std::scoped_lock lock(mutex_);
  std::optional<StoredInteraction> result;
  const auto kept = sessions_.find(session);
  if (kept != sessions_.end()) {
    const auto row = kept->second.interactions.find(key);
    if (row != kept->second.interactions.end()) result = stored(kept->second, row->second);
  }
  reply<std::optional<StoredInteraction>>(scheduler, std::move(done), std::move(result));
}

void MemoryStore::fail_next(int count, core::Error error) {
  const std::scoped_lock lock(mutex_);
  failures_ = count;
  failure_ = std::move(error);
}

std::vector<Event> MemoryStore::events(const std::string& session) const {
  const std::scoped_lock lock(mutex_);
  const auto it = sessions_.find(session);
  return it == sessions_.end() ? std::vector<Event>{} : it->second.events;
}

std::size_t MemoryStore::commits() const {
  const std::scoped_lock lock(mutex_);
  return commits_;
}

}  // namespace parley::event
