// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "dialects/loom/loom_context.h"
#include "model/event/event.h"
#include "model/event/session_store.h"
#include "model/session/participant.h"
#include "model/session/subscription.h"
#include "runtime/stream/event_reader.h"

namespace parley::loom {

class RunWatch;

// Error of a run that was cancelled.
inline constexpr std::string_view kRunCancelled = "run cancelled";

// The connection that receives the messages of a run. Every call is on its thread.
class WatchOwner {
 public:
  WatchOwner() = default;
  WatchOwner(const WatchOwner&) = delete;
  WatchOwner& operator=(const WatchOwner&) = delete;
  virtual ~WatchOwner() = default;

  virtual void show(std::string_view message) = 0;
  virtual std::size_t queued() const = 0;
  // Called once, when the run has ended, with its last message. The watch sends nothing more.
  virtual void on_watch_end(RunWatch& watch, std::string message) = 0;
  virtual void on_leave_required(session::LeaveReason reason) = 0;
};

// Sends the events of one run to one connection as run_stream_event messages, starting at any
// event, and its end as run_end or error. Reads the backlog from the store, then gets live events
// from a participant of the run's session; the participant posts them to the connection's thread.
// Every call is on the connection's thread.
class RunWatch final : public std::enable_shared_from_this<RunWatch> {
 public:
  struct Target {
    std::string id;  // id of the messages to the client
    std::string run_id;
    std::string session;
    std::string owner;
    std::string kind = "react";  // kind of agent; prefix of an error message
    bool starts_run = false;     // the connection starts the run once the watch has joined
  };

  RunWatch(LoomContext& context, core::Scheduler& scheduler, WatchOwner& owner, Target target);
  ~RunWatch();
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

  const Target& target() const { return target_; }
  void set_kind(std::string kind) { target_.kind = std::move(kind); }
  // True if the run waits for approval of this call, according to the events sent so far.
  bool waits_for(const std::string& call_id) const { return asked_.contains(call_id); }

  // Joins the session: no event is missed from then on. Errors: those of with_session() and
  // join().
  using Joined = absl::AnyInvocable<void(core::Result<void>)>;
  void join(std::string name, Joined joined);
  // True if the run of this watch has not been started yet.
  bool awaits_start() const { return target_.starts_run && joined_; }
  // Sends the events from this one on (0: only new events). Call once, after join().
  void begin_at(std::uint64_t seq);
  // For a run that will have no new events: after the stored ones its end is sent with this error.
  void end_when_read(std::string error) { error_when_read_ = std::move(error); }
  // Detaches from session and owner; nothing more is sent.
  void stop();

 private:
  void on_joined(core::Result<std::uint64_t> visible);
  void on_live(const event::Event& event);
  void on_leave_required(session::LeaveReason reason);
  bool go_live();
  void read_on();
  void read_later();
  void on_page(const core::Result<event::EventPage>& page);
  // False: the watch is over.
  bool take(const event::Event& event);
  bool take_reply(const event::Event& event);
  void note(const event::Event& event);
  void end(std::string message);
  std::string end_message(const event::Event& reply);

  LoomContext& context_;
  core::Scheduler& scheduler_;
  WatchOwner* owner_;  // null: stopped
  Target target_;
  std::string head_;  // prefix of each message
  std::string scratch_;
  runtime::EventReader reader_;
  session::Subscription feed_;
  Joined joined_;
  // Live events, kept while the backlog is read; cleared at max_held.
  std::deque<event::Event> held_;
  std::uint64_t visible_ = 0;     // the last event visible in the session
  std::uint64_t reading_to_ = 0;  // `visible_` when the last read began
  std::uint64_t position_ = 0;    // events up to this one were sent or are lost
  bool begun_ = false;
  bool live_ = false;
  std::optional<event::Event> last_reply_;  // end of the run, unless a resumption follows it
  std::string error_when_read_;
  std::string usage_;  // the latest usage, as JSON; empty: none
  std::set<std::string> asked_;
};

}  // namespace parley::loom
