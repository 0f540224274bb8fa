// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/session/hub.h"

#include <spdlog/spdlog.h>

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

// FNV-1a, which is the same in every build and run; absl::Hash is not.
std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

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

// The reason of the end of a mirror.
constexpr std::string_view kMirrorEnds =
    "The approval is asked in the session of its run, and the inbox shows it from there.";

tl::unexpected<core::Error> owned_by(const std::string& node) {
  return core::fail(Code::owned_elsewhere, "Another node owns this session: " + node + ".",
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
  if (Session* session = find(key.id); session != nullptr) {
    Result<Session*> found = for_key(*session, key);
    if (found && session->has_moved()) found = core::fail(event::owned_elsewhere());
    return use(std::move(found));
  }
  auto& waiting = loading_[key.id];
  waiting.emplace_back(key, std::move(use));
  if (waiting.size() > 1) return;
  // Read before the row: if the epoch ends meanwhile, commits of this session are refused.
  const event::HomeEpoch epoch = context_.store.home_epoch(key.id);
  context_.store.session(
      key.id, context_.scheduler,
      core::unless_gone(alive_, [id = key.id, epoch](Shard& shard, Result<event::SessionRow> row) {
        shard.on_loaded(id, epoch, std::move(row));
      }));
}

void Shard::on_loaded(const std::string& id, event::HomeEpoch epoch,
                      Result<event::SessionRow> row) {
  auto loading = loading_.extract(id);
  PARLEY_ASSERT(!loading.empty() && !loading.mapped().empty(),
                "session " + id + " was loaded for nobody");
  auto waiting = std::move(loading.mapped());
  const bool is_new = !row && row.error().code == Code::not_found;
  if (!row && !is_new) {
    for (auto& [key, use] : waiting) {
      use(core::fail(Code::unavailable,
                     "The session cannot be read from the store: " + row.error().message));
    }
    return;
  }
  // restore() may have created it meanwhile.
  Session* session = find(id);
  if (session == nullptr) {
    if (is_new) {
      const SessionKey& key = waiting.front().first;
      row = event::SessionRow{.id = id,
                              .dialect = key.dialect,
                              .owner = key.owner,
                              .title = {},
                              .created_at = context_.scheduler.clock().wall()};
    }
    session = &adopt(std::move(*row), epoch);
  }
  for (auto& [key, use] : waiting) use(for_key(*session, key));
  release(id);
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
  const auto it = sessions_.find(id);
  if (it != sessions_.end() && it->second->idle()) sessions_.erase(it);
}

void Shard::restore(std::vector<RestoredSession> sessions) {
  PARLEY_ASSERT(context_.scheduler.in_thread(), "a shard is restored by another thread");
  for (RestoredSession& restored : sessions) {
    Session* session = find(restored.row.id);
    if (session == nullptr) session = &adopt(std::move(restored.row), restored.epoch);
    for (Interaction& interaction : restored.pending) session->restore(std::move(interaction));
    for (const std::string& key : restored.mirrors) {
      session->withdraw(key, std::string(kMirrorEnds), Authority::of_run());
    }
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
  for (const std::unique_ptr<Shard>& shard : shards_) shard->set_route(*route_);
}

Hub::~Hub() = default;

std::string_view placement_key(std::string_view session_id) {
  const std::size_t dot = session_id.rfind('.');
  return dot == std::string_view::npos ? session_id : session_id.substr(dot + 1);
}

Result<Shard*> Hub::home_of(std::string_view session_id) const {
  const std::string_view key = placement_key(session_id);
  if (placement_) {
    if (const std::optional<std::string> node = placement_(key)) return owned_by(*node);
  }
  return shards_[stable_hash(key) % shards_.size()].get();
}

void Hub::with_session(SessionKey key, Shard::WithSession use) {
  Result<Shard*> home = home_of(key.id);
  if (!home) return use(core::fail(std::move(home.error())));
  Shard& shard = **home;
  if (shard.scheduler().in_thread()) return shard.with_session(key, std::move(use));
  shard.scheduler().post([&shard, key = std::move(key), use = std::move(use)]() mutable {
    shard.with_session(key, std::move(use));
  });
}

Result<void> Hub::post_home(std::string_view session_id, absl::AnyInvocable<void(Shard&)> use) {
  PARLEY_TRY(Shard* const home, home_of(session_id));
  home->scheduler().post([shard = home, use = std::move(use)]() mutable { use(*shard); });
  return {};
}

namespace {

// One recovery: reads the sessions with pending interactions, one after another, then hands each
// shard its part. The epoch of a session is read before its row and its interactions: a session
// that another node takes meanwhile is never used under the new epoch.
struct Recovery : std::enable_shared_from_this<Recovery> {
  Recovery(Hub& hub_in, event::SessionStore& store_in, core::Scheduler& scheduler_in)
      : hub(hub_in), store(store_in), scheduler(scheduler_in) {}

  void next() {
    if (ids.empty()) return deliver();
    const std::string id = ids.back();
    ids.pop_back();
    // Sessions owned by another node are skipped.
    const Result<Shard*> home = hub.home_of(id);
    if (!home) return scheduler.post([self = shared_from_this()] { self->next(); });
    current = {{}, store.home_epoch(id), {}, {}};
    store.session(id, scheduler,
                  [self = shared_from_this(), id, home = *home](Result<event::SessionRow> row) {
                    if (!row) return self->done(core::fail(row.error()));
                    PARLEY_ASSERT(row->id == id,
                                  "the store gives session " + row->id + " instead of " + id);
                    self->current.row = std::move(*row);
                    self->read_pending(home);
                  });
  }

  void read_pending(Shard* home) {
    store.pending(current.row.id, scheduler,
                  [self = shared_from_this(),
                   home](const Result<std::vector<event::StoredInteraction>>& stored) {
                    if (!stored) return self->done(core::fail(stored.error()));
                    for (const event::StoredInteraction& one : *stored) self->adopt(one);
                    self->count += self->current.pending.size();
                    if (!self->current.pending.empty()) {
                      self->parts[home].push_back(std::exchange(self->current, {}));
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
    if (is_mirror(one.opened_payload)) current.mirrors.push_back(interaction->key);
    interaction->opened_sha256 = core::sha256_hex(one.opened_payload);
    current.pending.push_back(std::move(*interaction));
  }

  void deliver() {
    left = parts.size() + 1;
    for (auto& [shard, part] : parts) {
      shard->scheduler().post(
          [self = shared_from_this(), target = shard, mine = std::move(part)]() mutable {
            target->restore(std::move(mine));
            self->scheduler.post([self] { self->finished(); });
          });
    }
    finished();
  }

  void finished() {
    PARLEY_ASSERT(left > 0, "a shard takes up its part of a recovery twice");
    if (--left == 0) done(count);
  }

  Hub& hub;
  event::SessionStore& store;
  core::Scheduler& scheduler;
  absl::AnyInvocable<void(Result<std::size_t>)> done;
  absl::flat_hash_map<Shard*, std::vector<RestoredSession>> parts;
  std::vector<std::string> ids;  // sessions that are not read yet
  RestoredSession current;       // the session that is being read
  std::size_t count = 0;
  std::size_t left = 0;
};

}  // namespace

void Hub::recover(event::SessionStore& store, core::Scheduler& scheduler,
                  absl::AnyInvocable<void(Result<std::size_t>)> done) {
  auto recovery = std::make_shared<Recovery>(*this, store, scheduler);
  recovery->done = std::move(done);
  store.pending_sessions(scheduler, [recovery](Result<std::vector<std::string>> sessions) {
    if (!sessions) return recovery->done(core::fail(sessions.error()));
    recovery->ids = std::move(*sessions);
    recovery->next();
  });
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
