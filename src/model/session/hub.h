// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/string_map.h"
#include "model/placement/slot.h"
#include "model/session/session.h"

namespace parley::session {

// Id of a session, with its dialect and owner, which it gets if it must be created.
struct SessionKey {
  std::string id;
  std::string dialect;    // a session of another dialect is refused; empty: any
  std::string owner;      // id of the token
  std::string also = {};  // a second dialect whose sessions are accepted
};

// A session with pending interactions, as a recovery has read it.
struct RestoredSession {
  event::SessionRow row;
  event::HomeEpoch epoch = 0;  // of before the row and the interactions were read
  std::vector<Interaction> pending;
  std::vector<std::string> mirrors;  // keys of pending ones of before version 6: is_mirror()
};

// The node that serves the sessions of an owner; std::nullopt: this node; empty: none does at the
// moment, they move. Any thread.
using Placement = std::function<std::optional<std::string>(std::string_view owner)>;

struct ShardCounts {
  std::size_t sessions = 0;
  std::size_t participants = 0;
  std::size_t pending = 0;
};

// The sessions of one thread. Every call must be on that thread.
class Shard {
 public:
  // Receives the session, which stays valid until the callback returns, and as long as a
  // participant is joined or an interaction is open.
  using WithSession = absl::AnyInvocable<void(core::Result<Session*>)>;

  Shard(core::Scheduler& scheduler, core::Entropy& entropy, event::SessionStore& store,
        SessionLimits limits);
  ~Shard();

  core::Scheduler& scheduler() { return context_.scheduler; }
  // The way to the inboxes; set before the first session.
  void set_route(InboxRoute& route) { context_.route = &route; }
  // Where sessions are served; set before the first session. Null: here.
  void set_placement(const Placement& placement) { placement_ = placement; }
  // The observer of interactions from now on. Null: none.
  void set_watcher(InteractionWatcher* watcher) { context_.watcher = watcher; }
  // For tasks that may run after the shard's destruction: the inner pointer is then null.
  const std::shared_ptr<Shard*>& alive() const { return alive_; }

  // Finds, loads or creates a session. `use` may run before the call returns. Errors:
  // `already_exists` (it belongs to another owner), `failed_precondition` (it is of another
  // dialect), `unavailable` (the store failed), `owned_elsewhere` with the field event::kHomeField
  // (another node serves the owner's sessions).
  void with_session(const SessionKey& key, WithSession use);
  // The session if it is in memory; null otherwise.
  Session* find(std::string_view id);
  // Drops the session from memory if it is idle(). Sessions that become idle later are dropped
  // without this call.
  void release(std::string_view id);
  // Restores pending interactions of this shard's sessions after a start or a move, and ends the
  // mirrors among them. Sessions whose home this node is no longer are left out.
  void restore(std::vector<RestoredSession> sessions);
  // The sessions of these slots leave their home: Session::leave_home(). `done`, once no commit of
  // them is in flight.
  void leave_home(const placement::SlotSet& slots, core::Task done);
  // Requires every participant to leave; refuses new asks.
  void shut_down();
  // Requires every participant of the sessions of this token to leave.
  void revoke(std::string_view owner);

  ShardCounts counts() const;

 private:
  void on_loaded(const SessionKey& key, event::HomeEpoch epoch,
                 core::Result<event::SessionRow> row);
  Session& adopt(event::SessionRow row, event::HomeEpoch epoch);

  SessionContext context_;
  Placement placement_;
  core::StringMap<std::unique_ptr<Session>> sessions_;
  std::vector<std::unique_ptr<Session>> aside_;  // have left their home, and are not idle yet
  core::StringMap<std::vector<std::pair<SessionKey, WithSession>>> loading_;  // by owner and id
  bool shutting_down_ = false;
  std::shared_ptr<Shard*> alive_;  // held by callbacks; null inside after destruction
};

// All shards of a node. Any thread.
class Hub {
 public:
  // No `placement`: this node serves every session.
  explicit Hub(std::vector<std::unique_ptr<Shard>> shards, Placement placement = nullptr);
  ~Hub();

  std::size_t size() const { return shards_.size(); }
  Shard& shard(std::size_t index) { return *shards_.at(index); }
  // The shard of a session, if this node serves it: a hash of its placement key, the same in every
  // run with the same number of shards.
  Shard& home_of(std::string_view session_id) const;
  // Error: `owned_elsewhere` with the field event::kHomeField, if another node serves the sessions
  // of this owner.
  core::Result<void> check_home(std::string_view owner) const;

  // Runs `use` on the session's shard; at once if the caller is on its thread.
  void with_session(SessionKey key, Shard::WithSession use);
  // Runs `use` on the session's shard, never before the call returns.
  void post_home(std::string_view session_id, absl::AnyInvocable<void(Shard&)> use);
  // Reads pending interactions from the store, hands each to its shard, and calls `done` on
  // `scheduler` when every shard has restored its own. Call before serving anything.
  using Recovered = absl::AnyInvocable<void(core::Result<std::size_t>)>;
  void recover(event::SessionStore& store, core::Scheduler& scheduler, Recovered done);
  // The same for the sessions of slots that this node has taken and does not serve yet. Each slot
  // once under an epoch.
  void recover(event::SessionStore& store, core::Scheduler& scheduler,
               std::span<const placement::TakenSlot> slots, Recovered done);
  // The sessions of `slots` leave their home, on every shard. `done` on `scheduler`, once no commit
  // of them is in flight.
  void leave_home(const placement::SlotSet& slots, core::Scheduler& scheduler, core::Task done);
  void shut_down();  // on every shard
  bool shutting_down() const { return shutting_down_.load(); }
  void revoke(const std::string& owner);  // on every shard
  // Sets the observer of the interactions of every shard; `watcher` outlives the shards' threads.
  // Call before recover(), which reports the interactions that are still pending.
  void watch(InteractionWatcher& watcher);

 private:
  class Route;
  class Recovery;

  std::unique_ptr<Route> route_;
  std::vector<std::unique_ptr<Shard>> shards_;  // immutable
  const Placement placement_;
  std::atomic<bool> shutting_down_{false};
};

}  // namespace parley::session
