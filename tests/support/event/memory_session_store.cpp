// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/event/memory_session_store.h"

#include <algorithm>

#include "base/core/assert.h"
#include "base/core/limits.h"
#include "base/core/result.h"
#include "model/event/interaction_row.h"
#include "model/event/unit_check.h"

namespace parley::event {
namespace {

template <typename T>
void reply(core::Scheduler& scheduler, SessionStore::Done<T> done, core::Result<T> result) {
  scheduler.post(
      [done = std::move(done), result = std::move(result)]() mutable { done(std::move(result)); });
}

bool wanted(const ReadQuery& query, const Event& event) {
  if (query.types.empty()) return true;
  return std::find(query.types.begin(), query.types.end(), event.type) != query.types.end();
}

// Cuts the page to the query's limits: keeps the first events, or those nearest to `before`.
void cut_page(EventPage& page, const ReadQuery& query) {
  const std::size_t limit = std::min(query.limit, core::limits::kMaxPageEvents);
  const std::size_t max_bytes = std::min(query.max_bytes, kMaxPageBytes);
  const auto size = static_cast<std::ptrdiff_t>(page.events.size());
  std::ptrdiff_t kept = 0;
  std::size_t bytes = 0;
  while (kept < size && static_cast<std::size_t>(kept) < limit && bytes < max_bytes) {
    const auto next = static_cast<std::size_t>(query.before ? size - 1 - kept : kept);
    bytes += page.events[next].payload.size();
    ++kept;
  }
  page.more = kept < size;
  if (query.before) {
    page.events.erase(page.events.begin(), page.events.end() - kept);
  } else {
    page.events.erase(page.events.begin() + kept, page.events.end());
  }
}

}  // namespace

core::Result<Revision> MemorySessionStore::store(const Unit& unit) {
  ++commits_;
  PARLEY_TRY_VOID(apply(unit));
  return ++revision_;
}

core::Result<void> MemorySessionStore::apply(const Unit& unit) {
  const std::string id(named_session(unit));
  const auto known = sessions_.find(id);
  const std::string made_for = unit.session ? unit.session->owner : "";
  const bool is_stored = known != sessions_.end();
  const std::string& owner = is_stored ? known->second.row.owner : made_for;
  const HomeEpoch standing = fence_ ? fence_(owner) : home_epoch_;
  if (unit.home_epoch != standing) return core::fail(owned_elsewhere());
  if (failures_ > 0) {
    --failures_;
    return core::fail(failure_);
  }
  if (unit.drop) return drop(*unit.drop);
  PARLEY_TRY_VOID(check_place(unit, is_stored, is_stored ? known->second.row.last_seq : 0));
  PARLEY_TRY_VOID(check_changes(is_stored ? &known->second : nullptr, unit));
  if (!is_stored) made_.push_back(id);
  Kept& kept = sessions_[id];
  if (unit.session) {
    SessionRow row = *unit.session;
    row.last_seq = kept.row.last_seq;
    row.first_seq = kept.row.first_seq;
    row.last_at = kept.row.last_at;
    kept.row = std::move(row);
  }
  for (const Event& event : unit.events) {
    PARLEY_ASSERT(event.session == id && event.seq > kept.row.last_seq,
                  "session " + id + ": event " + std::to_string(event.seq) + " of session " +
                      event.session + " after event " + std::to_string(kept.row.last_seq));
    kept.row.last_seq = event.seq;
    kept.row.last_at = event.at;
    kept.events.push_back(event);
    kept.events.back().live.reset();  // as a store on disk
  }
  apply_changes(kept, unit);
  PARLEY_ASSERT(made_.size() == sessions_.size(), std::to_string(sessions_.size()) +
                                                      " sessions, but " +
                                                      std::to_string(made_.size()) + " were made");
  return {};
}

// Succeeds if every change can be applied to its row. The changes of a unit have different keys.
core::Result<void> MemorySessionStore::check_changes(const Kept* kept, const Unit& unit) {
  for (const InteractionChange& change : unit.changes) {
    PARLEY_TRY(const DerivedRow derived, derive_row(unit, change));
    const InteractionRow* row = nullptr;
    if (kept != nullptr) {
      const auto known = kept->interactions.find(change.key);
      if (known != kept->interactions.end()) row = &known->second;
    }
    const bool fits = derived.opens
                          ? row == nullptr
                          : row != nullptr && row->state == kPendingState && row->id == derived.id;
    if (!fits) return core::fail(interaction_is_final());
  }
  return {};
}

void MemorySessionStore::apply_changes(Kept& kept, const Unit& unit) {
  for (const InteractionChange& change : unit.changes) {
    const core::Result<DerivedRow> derived = derive_row(unit, change);
    PARLEY_ASSERT(derived, "interaction " + change.key + ": a change that was checked fails");
    if (derived->opens) {
      InteractionRow row = row_of(*derived);
      if (derived->in_inbox) row.change = next_change(kept.row.owner);
      kept.interactions.emplace(change.key, std::move(row));
      order_.emplace_back(derived->session, change.key);
    } else {
      InteractionRow& row = kept.interactions.at(change.key);
      row.state = derived->state;
      row.closed_seq = derived->closed_seq;
      if (row.change > 0) row.change = next_change(kept.row.owner);
    }
  }
}

std::uint64_t MemorySessionStore::next_change(const std::string& owner) const {
  std::uint64_t last = 0;
  for (const auto& [id, kept] : sessions_) {
    if (kept.row.owner != owner) continue;
    for (const auto& [key, row] : kept.interactions) last = std::max(last, row.change);
  }
  return last + 1;
}

core::Result<void> MemorySessionStore::drop(const HistoryDrop& drop) {
  const auto found = sessions_.find(drop.session);
  if (found == sessions_.end()) {
    return core::fail(core::Code::not_found, "No session has this id.", "session");
  }
  Kept& kept = found->second;
  const std::uint64_t keep = std::min(drop.before, kept.row.last_seq + 1);
  const auto goes = [keep](const auto& one) { return one.second.opened_seq < keep; };
  for (const auto& one : kept.interactions) {
    if (!goes(one) || one.second.state != "pending") continue;
    return core::fail(core::Code::failed_precondition, "A question of this session is still open.",
                      "session");
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

// Runs `call` with mutex_ held, now or, step by step, in proceed().
void MemorySessionStore::run(absl::AnyInvocable<void()> call) {
  const std::scoped_lock lock(mutex_);
  if (by_step_) {
    waiting_.push_back(std::move(call));
  } else {
    call();
  }
}

void MemorySessionStore::store_held() {
  for (Held& held : std::exchange(held_, {})) {
    reply(*held.scheduler, std::move(held.done), store(*held.unit));
  }
}

void MemorySessionStore::commit(UnitPtr unit, core::Scheduler& scheduler, Done<Revision> done) {
  run([this, unit = std::move(unit), &scheduler, done = std::move(done)]() mutable {
    store_held();
    reply(scheduler, std::move(done), store(*unit));
  });
}

void MemorySessionStore::append_flowing(UnitPtr unit, core::Scheduler& scheduler,
                                        Done<Revision> done) {
  {
    const std::scoped_lock lock(mutex_);
    if (refusals_ > 0 && refusals_-- > 0) {
      reply<Revision>(scheduler, std::move(done),
                      core::fail(core::Code::resource_exhausted, "The queue is full."));
      return;
    }
  }
  run([this, unit = std::move(unit), &scheduler, done = std::move(done)]() mutable {
    held_.push_back({std::move(unit), &scheduler, std::move(done)});
    if (!holding_) store_held();
  });
}

void MemorySessionStore::hold_flowing() {
  const std::scoped_lock lock(mutex_);
  holding_ = true;
}

void MemorySessionStore::lose_held() {
  const std::scoped_lock lock(mutex_);
  for (Held& held : std::exchange(held_, {})) {
    reply<Revision>(*held.scheduler, std::move(held.done),
                    core::fail(core::Code::data_loss, "The event is lost."));
  }
}

void MemorySessionStore::step_by_step() {
  const std::scoped_lock lock(mutex_);
  by_step_ = true;
}

void MemorySessionStore::proceed(std::size_t count) {
  const std::scoped_lock lock(mutex_);
  for (; count > 0 && !waiting_.empty(); --count) {
    waiting_.front()();
    waiting_.pop_front();
  }
}

void MemorySessionStore::proceed_with_newest() {
  const std::scoped_lock lock(mutex_);
  if (waiting_.empty()) return;
  waiting_.back()();
  waiting_.pop_back();
}

void MemorySessionStore::forget_waiting() {
  const std::scoped_lock lock(mutex_);
  waiting_.clear();
  held_.clear();
}

void MemorySessionStore::read(ReadQuery query, core::Scheduler& scheduler, Done<EventPage> done) {
  run([this, query = std::move(query), &scheduler, done = std::move(done)]() mutable {
    ++reads_;
    store_held();
    if (page_failures_ > 0 && page_failures_-- > 0) {
      return reply<EventPage>(scheduler, std::move(done),
                              core::fail(core::Code::data_loss, "The page cannot be read."));
    }
    reply<EventPage>(scheduler, std::move(done), page_of(query));
  });
}

EventPage MemorySessionStore::page_of(const ReadQuery& query) const {
  EventPage page;
  const auto it = sessions_.find(query.session);
  if (it == sessions_.end()) return page;
  const Kept& kept = it->second;
  page.first_seq = kept.row.first_seq;
  page.last_seq = kept.row.last_seq;
  for (const Event& event : kept.events) {
    if (event.seq <= query.after || !wanted(query, event)) continue;
    if (query.before && event.seq >= *query.before) break;
    page.events.push_back(event);
  }
  cut_page(page, query);
  return page;
}

void MemorySessionStore::count(std::string session, std::string type, core::Scheduler& scheduler,
                               Done<std::uint64_t> done) {
  run([this, session = std::move(session), type = std::move(type), &scheduler,
       done = std::move(done)]() mutable {
    store_held();
    reply<std::uint64_t>(scheduler, std::move(done), count_of(session, type));
  });
}

std::uint64_t MemorySessionStore::count_of(const std::string& session,
                                           const std::string& type) const {
  const auto it = sessions_.find(session);
  if (it == sessions_.end()) return 0;
  const std::vector<Event>& events = it->second.events;
  return static_cast<std::uint64_t>(std::count_if(
      events.begin(), events.end(), [&type](const Event& event) { return event.type == type; }));
}

void MemorySessionStore::session(std::string id, core::Scheduler& scheduler,
                                 Done<SessionRow> done) {
  run([this, id = std::move(id), &scheduler, done = std::move(done)]() mutable {
    store_held();
    reply<SessionRow>(scheduler, std::move(done),
                      read_fails() ? core::fail(read_error_) : session_of(id));
  });
}

core::Result<SessionRow> MemorySessionStore::session_of(const std::string& id) const {
  const auto it = sessions_.find(id);
  if (it != sessions_.end()) return it->second.row;
  return core::fail(core::Code::not_found, "No session has this id.", "session");
}

void MemorySessionStore::sessions(std::string owner, std::size_t limit, core::Scheduler& scheduler,
                                  Done<std::vector<SessionRow>> done) {
  run([this, owner = std::move(owner), limit, &scheduler, done = std::move(done)]() mutable {
    store_held();
    reply<std::vector<SessionRow>>(scheduler, std::move(done), sessions_of(owner, limit));
  });
}

std::vector<SessionRow> MemorySessionStore::sessions_of(const std::string& owner,
                                                        std::size_t limit) const {
  std::vector<SessionRow> rows;
  for (const auto& [id, kept] : sessions_) {
    if (kept.row.owner != owner || kept.events.empty() || rows.size() >= limit) continue;
    rows.push_back(kept.row);
  }
  return rows;
}

StoredInteraction MemorySessionStore::stored(const Kept& kept, const InteractionRow& row) const {
  StoredInteraction result;
  result.row = row;
  for (const Event& event : kept.events) {
    if (event.seq == row.opened_seq) result.opened_payload = event.payload;
    if (event.seq == row.closed_seq) result.closed_payload = event.payload;
  }
  return result;
}

void MemorySessionStore::pending_sessions(core::Scheduler& scheduler,
                                          Done<std::vector<PendingSession>> done) {
  run([this, &scheduler, done = std::move(done)]() mutable {
    store_held();
    reply<std::vector<PendingSession>>(scheduler, std::move(done), sessions_with_pending());
  });
}

std::vector<PendingSession> MemorySessionStore::sessions_with_pending() const {
  std::vector<PendingSession> result;
  for (const auto& interaction : order_) {
    const std::string& session = interaction.first;
    const bool known = std::any_of(result.begin(), result.end(),
                                   [&](const PendingSession& each) { return each.id == session; });
    if (known || pending_of(session).empty()) continue;
    result.push_back({session, sessions_.at(session).row.owner});
  }
  return result;
}

void MemorySessionStore::pending(std::string session, core::Scheduler& scheduler,
                                 Done<std::vector<StoredInteraction>> done) {
  run([this, session = std::move(session), &scheduler, done = std::move(done)]() mutable {
    store_held();
    reply<std::vector<StoredInteraction>>(scheduler, std::move(done), pending_of(session));
  });
}

std::vector<StoredInteraction> MemorySessionStore::pending_of(const std::string& session) const {
  std::vector<StoredInteraction> result;
  for (const auto& [owner, key] : order_) {
    if (owner != session) continue;
    const Kept& kept = sessions_.at(owner);
    const InteractionRow& row = kept.interactions.at(key);
    if (row.state == kPendingState) result.push_back(stored(kept, row));
  }
  return result;
}

void MemorySessionStore::interaction(std::string session, std::string key,
                                     core::Scheduler& scheduler,
                                     Done<std::optional<StoredInteraction>> done) {
  run([this, session = std::move(session), key = std::move(key), &scheduler,
       done = std::move(done)]() mutable {
    core::Result<std::optional<StoredInteraction>> found = core::fail(read_error_);
    if (!read_fails()) found = interaction_of(session, key);
    reply<std::optional<StoredInteraction>>(scheduler, std::move(done), std::move(found));
  });
}

std::optional<StoredInteraction> MemorySessionStore::interaction_of(const std::string& session,
                                                                    const std::string& key) const {
  const auto kept = sessions_.find(session);
  if (kept == sessions_.end()) return std::nullopt;
  const auto row = kept->second.interactions.find(key);
  if (row == kept->second.interactions.end()) return std::nullopt;
  return stored(kept->second, row->second);
}

void MemorySessionStore::inbox(InboxQuery query, core::Scheduler& scheduler, Done<InboxPage> done) {
  run([this, query = std::move(query), &scheduler, done = std::move(done)]() mutable {
    reply<InboxPage>(scheduler, std::move(done), inbox_of(query));
  });
}

InboxPage MemorySessionStore::inbox_of(const InboxQuery& query) const {
  InboxPage page;
  for (const auto& [id, kept] : sessions_) {
    if (kept.row.owner != query.owner) continue;
    for (const auto& [key, row] : kept.interactions) {
      const bool wanted =
          query.pending ? row.state == kPendingState : !query.before || row.change < *query.before;
      if (row.change > 0 && wanted) page.interactions.push_back(stored(kept, row));
    }
  }
  std::sort(page.interactions.begin(), page.interactions.end(),
            [](const auto& a, const auto& b) { return a.row.change < b.row.change; });
  if (!query.pending && page.interactions.size() > query.limit) {
    page.more = true;
    page.interactions.erase(page.interactions.begin(),
                            page.interactions.end() - static_cast<std::ptrdiff_t>(query.limit));
  }
  return page;
}

void MemorySessionStore::inbox_interaction(std::string owner, std::string key, std::string first,
                                           core::Scheduler& scheduler,
                                           Done<std::optional<StoredInteraction>> done) {
  run([this, owner = std::move(owner), key = std::move(key), first = std::move(first), &scheduler,
       done = std::move(done)]() mutable {
    core::Result<std::optional<StoredInteraction>> found = core::fail(read_error_);
    if (!read_fails()) found = inbox_interaction_of(owner, key, first);
    reply<std::optional<StoredInteraction>>(scheduler, std::move(done), std::move(found));
  });
}

std::optional<StoredInteraction> MemorySessionStore::inbox_interaction_of(
    const std::string& owner, const std::string& key, const std::string& first) const {
  std::optional<StoredInteraction> best;
  for (const auto& [id, kept] : sessions_) {
    const auto row = kept.interactions.find(key);
    if (kept.row.owner != owner || row == kept.interactions.end() || row->second.change == 0) {
      continue;
    }
    if (best && (best->row.session == first || best->row.change > row->second.change)) continue;
    best = stored(kept, row->second);
    if (id == first) break;
  }
  return best;
}

std::vector<ListedSession> MemorySessionStore::listed(std::int64_t after, std::size_t limit) const {
  std::vector<ListedSession> page;
  for (auto at = static_cast<std::size_t>(after); at < made_.size() && page.size() < limit; ++at) {
    page.push_back(
        {static_cast<std::int64_t>(at) + 1, made_[at], sessions_.at(made_[at]).row.owner});
  }
  return page;
}

// --- its readers ------------------------------------------------------------------------------

// Reads with the store's mutex held.
class MemorySessionStore::Reader final : public SessionReader {
 public:
  explicit Reader(MemorySessionStore& store) : store_(store) {}

  core::Result<EventPage> read(const ReadQuery& query) override {
    const std::scoped_lock lock(store_.mutex_);
    return store_.page_of(query);
  }
  core::Result<std::uint64_t> count(const std::string& session, const std::string& type) override {
    const std::scoped_lock lock(store_.mutex_);
    return store_.count_of(session, type);
  }
  core::Result<SessionRow> session(const std::string& id) override {
    const std::scoped_lock lock(store_.mutex_);
    return store_.read_fails() ? core::fail(store_.read_error_) : store_.session_of(id);
  }
  core::Result<std::vector<SessionRow>> sessions(const std::string& owner,
                                                 std::size_t limit) override {
    const std::scoped_lock lock(store_.mutex_);
    return store_.sessions_of(owner, limit);
  }
  core::Result<std::vector<ListedSession>> all_sessions(std::int64_t after,
                                                        std::size_t limit) override {
    const std::scoped_lock lock(store_.mutex_);
    return store_.listed(after, limit);
  }
  core::Result<std::vector<PendingSession>> pending_sessions() override {
    const std::scoped_lock lock(store_.mutex_);
    return store_.sessions_with_pending();
  }
  core::Result<std::vector<StoredInteraction>> pending(const std::string& session) override {
    const std::scoped_lock lock(store_.mutex_);
    return store_.pending_of(session);
  }
  core::Result<std::optional<StoredInteraction>> interaction(const std::string& session,
                                                             const std::string& key) override {
    const std::scoped_lock lock(store_.mutex_);
    return store_.interaction_of(session, key);
  }
  core::Result<InboxPage> inbox(const InboxQuery& query) override {
    const std::scoped_lock lock(store_.mutex_);
    return store_.inbox_of(query);
  }
  core::Result<std::optional<StoredInteraction>> inbox_interaction(
      const std::string& owner, const std::string& key, const std::string& first) override {
    const std::scoped_lock lock(store_.mutex_);
    return store_.inbox_interaction_of(owner, key, first);
  }

 private:
  MemorySessionStore& store_;
};

core::Result<std::unique_ptr<SessionReader>> MemorySessionStore::make_reader() {
  return std::make_unique<Reader>(*this);
}

HomeEpoch MemorySessionStore::home_epoch(std::string_view owner) const {
  const std::scoped_lock lock(mutex_);
  return fence_ ? fence_(owner) : home_epoch_;
}

void MemorySessionStore::take_over() {
  const std::scoped_lock lock(mutex_);
  ++home_epoch_;
}

// --- controls for tests -----------------------------------------------------------------------

void MemorySessionStore::fail_next(int count, core::Error error) {
  const std::scoped_lock lock(mutex_);
  failures_ = count;
  failure_ = std::move(error);
}

void MemorySessionStore::refuse_flowing(int count) {
  const std::scoped_lock lock(mutex_);
  refusals_ = count;
}

void MemorySessionStore::fail_reads(int count, core::Code code) {
  const std::scoped_lock lock(mutex_);
  read_error_.code = code;
  read_failures_ = count;
}

void MemorySessionStore::fail_pages(int count) {
  const std::scoped_lock lock(mutex_);
  page_failures_ = count;
}

void MemorySessionStore::heal() {
  const std::scoped_lock lock(mutex_);
  failures_ = 0;
  refusals_ = 0;
  read_failures_ = 0;
  page_failures_ = 0;
}

bool MemorySessionStore::read_fails() { return read_failures_ > 0 && read_failures_-- > 0; }

std::optional<Event> MemorySessionStore::event(const std::string& session,
                                               std::uint64_t seq) const {
  const std::scoped_lock lock(mutex_);
  const auto it = sessions_.find(session);
  if (it == sessions_.end()) return std::nullopt;
  const std::vector<Event>& events = it->second.events;
  const auto found =
      std::lower_bound(events.begin(), events.end(), seq,
                       [](const Event& event, std::uint64_t wanted) { return event.seq < wanted; });
  if (found == events.end() || found->seq != seq) return std::nullopt;
  return *found;
}

void MemorySessionStore::rewrite(const std::string& session, std::uint64_t seq,
                                 const std::function<std::string(std::string)>& change) {
  const std::scoped_lock lock(mutex_);
  for (Event& event : sessions_.at(session).events) {
    if (event.seq == seq) event.payload = change(std::move(event.payload));
  }
}

std::vector<Event> MemorySessionStore::events(const std::string& session) const {
  const std::scoped_lock lock(mutex_);
  const auto it = sessions_.find(session);
  return it == sessions_.end() ? std::vector<Event>{} : it->second.events;
}

std::size_t MemorySessionStore::reads() const {
  const std::scoped_lock lock(mutex_);
  return reads_;
}

std::size_t MemorySessionStore::commits() const {
  const std::scoped_lock lock(mutex_);
  return commits_;
}

}  // namespace parley::event
