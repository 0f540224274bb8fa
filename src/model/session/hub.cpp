// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/hub.h"

#include <spdlog/spdlog.h>

#include <map>
#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/core/result.h"
#include "base/core/sha256.h"
#include "model/session/workspace.h"

namespace parley::session {

using core::Code;
using core::Result;

namespace {

tl::unexpected<core::Error> not_yours() {
  // The same message as for an id of the caller's own, so that the owner stays hidden.
  return core::fail(Code::already_exists, "This id is taken. Choose another one.", "session");
}

Result<Session*> for_key(Session& session, const SessionKey& key) {
  if (session.owner() != key.owner) return not_yours();
  const std::string& dialect = session.dialect();
  if (!key.dialect.empty() && dialect != key.dialect && dialect != key.also) {
    return core::fail(
        Code::failed_precondition,
        "The session \"" + key.id + "\" belongs to another protocol. Name another session.",
        "session");
  }
  return &session;
}

// Of Shard::loading_. An owner's id has no line break.
std::string loading_key(const SessionKey& key) { return key.owner + '\n' + key.id; }

// The reason of the end of a mirror.
constexpr std::string_view kMirrorEnds =
    "The approval is asked in the session of its run, and the inbox shows it from there.";

// Runs `done` when its last copy is destroyed.
std::shared_ptr<void> when_dropped(core::Task done) {
  return {nullptr, [done = std::make_shared<core::Task>(std::move(done))](void*) { (*done)(); }};
}

Result<void> served_here(const Placement& placement, std::string_view owner) {
  const std::optional<std::string> node = placement ? placement(owner) : std::nullopt;
  if (!node) return {};
  return core::fail(Code::owned_elsewhere,
                    node->empty() ? "This session moves to another node. Try again in a moment."
                                  : "Another node owns this session: " + *node + ".",
                    std::string(event::kHomeField));
}

}  // namespace

// --- Shard ----------------------------------------------------------------------------------

Shard::Shard(core::Scheduler& scheduler, core::Entropy& entropy, event::SessionStore& store,
             SessionLimits limits)
    : context_{scheduler, entropy, store, limits, {}, nullptr, nullptr},
      alive_(std::make_shared<Shard*>(this)) {
  context_.on_idle = [this](const std::string& id) {
    context_.scheduler.post(core::unless_gone(alive_, [id](Shard& shard) { shard.release(id); }));
  };
}

Shard::~Shard() { *alive_ = nullptr; }

void Shard::with_session(const SessionKey& key, WithSession use) {
  PARLEY_ASSERT(context_.scheduler.in_thread(), "a shard is used by another thread: " + key.id);
  if (Result<void> here = served_here(placement_, key.owner); !here) {
    return use(core::fail(std::move(here.error())));
  }
  if (Session* session = find(key.id); session != nullptr) {
    Result<Session*> found = for_key(*session, key);
    if (found && session->has_moved()) found = core::fail(event::owned_elsewhere());
    return use(std::move(found));
  }
  // Read before the row: if the epoch ends meanwhile, commits of this session are refused.
  const event::HomeEpoch epoch = context_.store.home_epoch(key.owner);
  if (epoch == event::kNoHome) return use(core::fail(event::owned_elsewhere()));
  auto& waiting = loading_[loading_key(key)];
  waiting.emplace_back(key, std::move(use));
  if (waiting.size() > 1) return;
  context_.store.session(
      key.id, context_.scheduler,
      core::unless_gone(alive_, [key, epoch](Shard& shard, Result<event::SessionRow> row) {
        shard.on_loaded(key, epoch, std::move(row));
      }));
}

void Shard::on_loaded(const SessionKey& key, event::HomeEpoch epoch,
                      Result<event::SessionRow> row) {
  auto loading = loading_.extract(loading_key(key));
  PARLEY_ASSERT(!loading.empty() && !loading.mapped().empty(),
                "session " + key.id + " was loaded for nobody");
  auto waiting = std::move(loading.mapped());
  const bool is_new = !row && row.error().code == Code::not_found;
  if (!row && !is_new) {
    for (auto& [each, use] : waiting) {
      use(core::fail(Code::unavailable,
                     "The session cannot be read from the store: " + row.error().message));
    }
    return;
  }
  // The row may already have events of the next home, if this one was stopped meanwhile.
  if (context_.store.home_epoch(key.owner) != epoch || !served_here(placement_, key.owner)) {
    for (auto& [each, use] : waiting) use(core::fail(event::owned_elsewhere()));
    return;
  }
  // The epoch says nothing about the home of another owner's session.
  if (row && row->owner != key.owner) {
    for (auto& [each, use] : waiting) use(not_yours());
    return;
  }
  // restore(), or another owner, may have created it meanwhile.
  Session* session = find(key.id);
  if (session == nullptr) {
    if (is_new) {
      row = event::SessionRow{.id = key.id,
                              .dialect = key.dialect,
                              .owner = key.owner,
                              .title = {},
                              .created_at = context_.scheduler.clock().wall()};
    }
    session = &adopt(std::move(*row), epoch);
  }
  for (auto& [each, use] : waiting) use(for_key(*session, each));
  release(key.id);
}

Session& Shard::adopt(event::SessionRow row, event::HomeEpoch epoch) {
  std::string id = row.id;
  PARLEY_ASSERT(!sessions_.contains(id), "session " + id + " would be in memory twice");
  auto session = std::make_unique<Session>(context_, std::move(row), epoch);
  if (shutting_down_) session->require_leave(LeaveReason::shutting_down);
  return *sessions_.insert_or_assign(std::move(id), std::move(session)).first->second;
}

Session* Shard::find(std::string_view id) {
  const auto it = sessions_.find(id);
  return it == sessions_.end() ? nullptr : it->second.get();
}

void Shard::release(std::string_view id) {
  std::erase_if(aside_,
                [id](const auto& session) { return session->id() == id && session->idle(); });
  const auto it = sessions_.find(id);
  if (it != sessions_.end() && it->second->idle()) sessions_.erase(it);
}

void Shard::restore(std::vector<RestoredSession> sessions) {
  PARLEY_ASSERT(context_.scheduler.in_thread(), "a shard is restored by another thread");
  for (RestoredSession& restored : sessions) {
    if (context_.store.home_epoch(restored.row.owner) != restored.epoch) continue;
    Session* session = find(restored.row.id);
    if (session == nullptr) session = &adopt(std::move(restored.row), restored.epoch);
    for (Interaction& interaction : restored.pending) session->restore(std::move(interaction));
    for (const std::string& key : restored.mirrors) {
      session->withdraw(key, std::string(kMirrorEnds), Authority::of_run());
    }
  }
}

void Shard::leave_home(const placement::SlotSet& slots, core::Task done) {
  PARLEY_ASSERT(context_.scheduler.in_thread(), "a shard is used by another thread");
  std::vector<std::unique_ptr<Session>> theirs;
  for (auto& [id, session] : sessions_) {
    if (slots.test(placement::slot_of(session->owner()))) theirs.push_back(std::move(session));
  }
  for (const std::unique_ptr<Session>& one : theirs) sessions_.erase(one->id());
  const std::shared_ptr<void> last = when_dropped(std::move(done));
  for (std::unique_ptr<Session>& one : theirs) {
    Session& session = *one;
    aside_.push_back(std::move(one));
    session.leave_home();
    session.when_flushed([last] {});
  }
}

void Shard::shut_down() {
  shutting_down_ = true;
  std::vector<Session*> all;
  for (const auto& [id, session] : sessions_) all.push_back(session.get());
  for (Session* session : all) session->require_leave(LeaveReason::shutting_down);
}

void Shard::revoke(std::string_view owner) {
  std::vector<Session*> theirs;
  for (const auto& [id, session] : sessions_) {
    if (session->owner() == owner) theirs.push_back(session.get());
  }
  for (Session* session : theirs) session->require_leave(LeaveReason::token_revoked);
}

ShardCounts Shard::counts() const {
  ShardCounts counts;
  counts.sessions = sessions_.size();
  for (const auto& [id, session] : sessions_) {
    counts.participants += session->participants().size();
    counts.pending += session->pending_count();
  }
  return counts;
}

// --- Hub ------------------------------------------------------------------------------------

class Hub::Route final : public InboxRoute {
 public:
  explicit Route(Hub& hub) : hub_(hub) {}

  void show(const std::string& owner, InteractionPtr interaction) override {
    hub_.with_session(assistant_workspace(owner),
                      [interaction = std::move(interaction)](const Result<Session*>& inbox) {
                        if (inbox) return (*inbox)->show(interaction);
                        spdlog::warn("{}: \"{}\" cannot be shown in the inbox: {}",
                                     interaction->session, interaction->key, inbox.error().message);
                      });
  }

  void hide(const std::string& owner, InteractionPtr interaction) override {
    hub_.with_session(assistant_workspace(owner),
                      [interaction = std::move(interaction)](const Result<Session*>& inbox) {
                        if (inbox) (*inbox)->hide(*interaction);
                      });
  }

  void end(const std::string& owner, const Interaction& interaction, Ending ending,
           core::Scheduler& back, Done done) override {
    auto tell = [&back, done = std::move(done)](Result<AnswerReceipt> receipt) mutable {
      if (done) core::reply(back, std::move(done), std::move(receipt));
    };
    hub_.with_session({interaction.session, {}, owner},
                      [key = interaction.key, ending = std::move(ending),
                       tell = std::move(tell)](Result<Session*> home) mutable {
                        if (!home) return tell(core::fail(std::move(home.error())));
                        (*home)->end(key, std::move(ending), std::move(tell));
                      });
  }

 private:
  Hub& hub_;
};

Hub::Hub(std::vector<std::unique_ptr<Shard>> shards, Placement placement)
    : route_(std::make_unique<Route>(*this)),
      shards_(std::move(shards)),
      placement_(std::move(placement)) {
  PARLEY_ASSERT(!shards_.empty(), "a hub has no shards");
  for (const std::unique_ptr<Shard>& shard : shards_) {
    shard->set_route(*route_);
    shard->set_placement(placement_);
  }
}

Hub::~Hub() = default;

Shard& Hub::home_of(std::string_view session_id) const {
  const std::string_view key = placement::placement_key(session_id);
  return *shards_[placement::stable_hash(key) % shards_.size()];
}

Result<void> Hub::check_home(std::string_view owner) const {
  return served_here(placement_, owner);
}

void Hub::with_session(SessionKey key, Shard::WithSession use) {
  Shard& shard = home_of(key.id);
  if (shard.scheduler().in_thread()) return shard.with_session(key, std::move(use));
  shard.scheduler().post([&shard, key = std::move(key), use = std::move(use)]() mutable {
    shard.with_session(key, std::move(use));
  });
}

void Hub::post_home(std::string_view session_id, absl::AnyInvocable<void(Shard&)> use) {
  Shard& shard = home_of(session_id);
  shard.scheduler().post([&shard, use = std::move(use)]() mutable { use(shard); });
}

// One recovery: reads the sessions with pending interactions, one after another, then hands each
// shard its part. The epoch of a session is read before its row and its interactions: a session
// that another node takes meanwhile is never used under the new epoch.
class Hub::Recovery : public std::enable_shared_from_this<Recovery> {
 public:
  // Without `slots`: of all sessions that this node serves.
  using Slots = std::optional<std::map<placement::Slot, event::HomeEpoch>>;
  Recovery(Hub& hub, event::SessionStore& store, core::Scheduler& scheduler, Slots slots,
           Recovered done)
      : hub_(hub),
        store_(store),
        scheduler_(scheduler),
        slots_(std::move(slots)),
        done_(std::move(done)) {}

  void begin() {
    store_.pending_sessions(scheduler_, [self = shared_from_this()](
                                            Result<std::vector<event::PendingSession>> sessions) {
      if (!sessions) return self->done_(core::fail(sessions.error()));
      self->unread_ = std::move(*sessions);
      self->next();
    });
  }

 private:
  bool is_here(const std::string& owner) const {
    if (!slots_) return hub_.check_home(owner).has_value();
    const auto slot = slots_->find(placement::slot_of(owner));
    return slot != slots_->end() && slot->second == store_.home_epoch(owner);
  }

  event::HomeEpoch epoch_of(const std::string& owner) const {
    return slots_ ? slots_->at(placement::slot_of(owner)) : store_.home_epoch(owner);
  }

  void next() {
    while (!unread_.empty() && !is_here(unread_.back().owner)) unread_.pop_back();
    if (unread_.empty()) return deliver();
    const std::string id = unread_.back().id;
    current_ = {{}, epoch_of(unread_.back().owner), {}, {}};
    unread_.pop_back();
    store_.session(id, scheduler_, [self = shared_from_this(), id](Result<event::SessionRow> row) {
      if (!row) return self->done_(core::fail(row.error()));
      PARLEY_ASSERT(row->id == id, "the store gives session " + row->id + " instead of " + id);
      self->current_.row = std::move(*row);
      self->read_pending(&self->hub_.home_of(id));
    });
  }

  void read_pending(Shard* home) {
    store_.pending(current_.row.id, scheduler_,
                   [self = shared_from_this(),
                    home](const Result<std::vector<event::StoredInteraction>>& stored) {
                     if (!stored) return self->done_(core::fail(stored.error()));
                     for (const event::StoredInteraction& one : *stored) self->adopt(one);
                     self->count_ += self->current_.pending.size();
                     if (!self->current_.pending.empty()) {
                       self->parts_[home].push_back(std::exchange(self->current_, {}));
                     }
                     self->next();
                   });
  }

  void adopt(const event::StoredInteraction& one) {
    auto interaction = interaction_from_payloads(one.opened_payload, one.closed_payload);
    if (interaction && interaction->key != one.row.key) {
      interaction = core::fail(Code::data_loss, "The opening event has another key.", "key");
    }
    if (!interaction) {
      spdlog::error("session {}: the pending question {} cannot be recovered: {}", one.row.session,
                    one.row.key, interaction.error().message);
      return;
    }
    interaction->session = one.row.session;
    interaction->opened_seq = one.row.opened_seq;
    interaction->in_inbox = one.row.change > 0;
    if (is_mirror(one.opened_payload)) current_.mirrors.push_back(interaction->key);
    interaction->opened_sha256 = core::sha256_hex(one.opened_payload);
    current_.pending.push_back(std::move(*interaction));
  }

  void deliver() {
    left_ = parts_.size() + 1;
    for (auto& [shard, part] : parts_) {
      shard->scheduler().post(
          [self = shared_from_this(), target = shard, mine = std::move(part)]() mutable {
            target->restore(std::move(mine));
            self->scheduler_.post([self] { self->finished(); });
          });
    }
    finished();
  }

  void finished() {
    PARLEY_ASSERT(left_ > 0, "a shard takes up its part of a recovery twice");
    if (--left_ == 0) done_(count_);
  }

  Hub& hub_;
  event::SessionStore& store_;
  core::Scheduler& scheduler_;
  const Slots slots_;
  Recovered done_;
  absl::flat_hash_map<Shard*, std::vector<RestoredSession>> parts_;
  std::vector<event::PendingSession> unread_;
  RestoredSession current_;  // the session that is being read
  std::size_t count_ = 0;
  std::size_t left_ = 0;
};

void Hub::recover(event::SessionStore& store, core::Scheduler& scheduler, Recovered done) {
  std::make_shared<Recovery>(*this, store, scheduler, std::nullopt, std::move(done))->begin();
}

void Hub::recover(event::SessionStore& store, core::Scheduler& scheduler,
                  std::span<const placement::TakenSlot> slots, Recovered done) {
  std::map<placement::Slot, event::HomeEpoch> epochs;
  for (const placement::TakenSlot& each : slots) epochs[each.slot] = each.epoch;
  std::make_shared<Recovery>(*this, store, scheduler, std::move(epochs), std::move(done))->begin();
}

void Hub::leave_home(const placement::SlotSet& slots, core::Scheduler& scheduler, core::Task done) {
  std::shared_ptr<void> last = when_dropped(
      [&scheduler, done = std::move(done)]() mutable { scheduler.post(std::move(done)); });
  for (const auto& shard : shards_) {
    shard->scheduler().post([target = shard.get(), slots, last]() mutable {
      target->leave_home(slots, [last = std::move(last)] {});
    });
  }
}

void Hub::shut_down() {
  shutting_down_ = true;
  for (const auto& shard : shards_) {
    shard->scheduler().post([target = shard.get()] { target->shut_down(); });
  }
}

void Hub::watch(InteractionWatcher& watcher) {
  for (const auto& shard : shards_) {
    shard->scheduler().post([target = shard.get(), &watcher] { target->set_watcher(&watcher); });
  }
}

void Hub::revoke(const std::string& owner) {
  for (const auto& shard : shards_) {
    shard->scheduler().post([target = shard.get(), owner] { target->revoke(owner); });
  }
}

}  // namespace parley::session
