// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/string_map.h"
#include "session/session.h"

namespace parley::session {

// Which session is meant, and whose it is if it must be made.
struct SessionKey {
  std::string id;
  std::string dialect;
  std::string owner;  // id of the token
};

struct ShardCounts {
  std::size_t sessions = 0;
  std::size_t participants = 0;
  std::size_t pending = 0;
};

// The sessions of one thread. Every call is on that thread.
class Shard {
 public:
  // Gets the session, which stays valid until the callback returns, and as long as a participant
  // is joined or an interaction is open.
  using WithSession = absl::AnyInvocable<void(core::Result<Session*>)>;

  Shard(core::Scheduler& scheduler, core::Entropy& entropy, event::SessionStore& store,
        SessionLimits limits);
  ~Shard();

  core::Scheduler& scheduler() { return context_.scheduler; }
  // The decision of mirrored interactions; set before the first session.
  void set_decide(Decide decide) { context_.decide = std::move(decide); }
  // What tasks hold that may run after the shard's end: points to null then.
  const std::shared_ptr<Shard*>& alive() const { return alive_; }

  // Finds, loads or makes a session. `use` may run before the call returns. Errors:
  // `already_exists` (it belongs to another owner), `unavailable` (the store failed),
  // `owned_elsewhere` (another node has taken it, and it has not left this one's memory yet).
  void with_session(const SessionKey& key, WithSession use);
  // The session if it is in memory.
  Session* find(std::string_view id);
  // Drops the session from memory if it is idle(). Sessions that become idle are dropped anyway.
  void release(std::string_view id);
  // Takes up pending interactions of this shard's sessions after a start.
  void restore(std::vector<std::pair<event::SessionRow, Interaction>> pending);
  // Everyone is told; new asks are refused.
  void shut_down();
  // Ends every participant of the sessions that belong to this token.
  void revoke(std::string_view owner);

  ShardCounts counts() const;

 private:
  void on_loaded(const std::string& id, event::HomeEpoch epoch,
                 core::Result<event::SessionRow> row);
  Session& adopt(event::SessionRow row, event::HomeEpoch epoch);

  SessionContext context_;
  core::StringMap<std::unique_ptr<Session>> sessions_;
  core::StringMap<std::vector<std::pair<SessionKey, WithSession>>> loading_;
  bool shutting_down_ = false;
  std::shared_ptr<Shard*> alive_;  // what callbacks hold; null inside once this is destroyed
};

// The sessions whose ids end alike live together: of an id that has a dot only what follows the
// last one counts ("a.k7" and "b.k7" have the key "k7"), so that whoever serves them need not cross
// threads.
std::string_view placement_key(std::string_view session_id);

// The node that serves the sessions of a placement key; nothing: this one. Any thread.
using Placement = std::function<std::optional<std::string>(std::string_view placement_key)>;

// All shards of a node. May be used from any thread.
class Hub {
 public:
  // No `placement`: this node serves every session.
  explicit Hub(std::vector<std::unique_ptr<Shard>> shards, Placement placement = nullptr);
  ~Hub();

  std::size_t size() const { return shards_.size(); }
  Shard& shard(std::size_t index) { return *shards_.at(index); }
  // The shard that a session lives on: a hash of its placement key, the same in every run with as
  // many shards. Errors: `owned_elsewhere` with the field event::kHomeField (another node owns it).
  core::Result<Shard*> home_of(std::string_view session_id) const;

  // Runs `use` on the session's shard; at once if that is this thread. Errors: also those of
  // home_of(), before the call returns.
  void with_session(SessionKey key, Shard::WithSession use);
  // Runs `use` on the session's shard, never before the call returns. Errors: those of home_of();
  // then it does not run.
  core::Result<void> post_home(std::string_view session_id, absl::AnyInvocable<void(Shard&)> use);
  // Reads pending interactions from the store, spreads them over the shards, and calls `done` on
  // `scheduler` when every shard has taken up its own. Before anything else is served.
  void recover(event::SessionStore& store, core::Scheduler& scheduler,
               absl::AnyInvocable<void(core::Result<std::size_t>)> done);
  void shut_down();  // on every shard
  bool shutting_down() const { return shutting_down_.load(); }
  void revoke(const std::string& owner);  // on every shard

 private:
  // Decides a mirrored interaction for the shard `mirror`: see session::Decide.
  void decide(Shard& mirror, SessionKey original, std::string key, InteractionState state,
              Outcome outcome, Session::AnswerDone done);

  std::vector<std::unique_ptr<Shard>> shards_;  // immutable
  const Placement placement_;
  std::atomic<bool> shutting_down_{false};
};

}  // namespace parley::session
