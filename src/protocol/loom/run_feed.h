// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "protocol/loom/run_watch.h"
#include "session/hub.h"
#include "session/participant.h"

namespace parley::loom {

// A watch's place in the session of its run, on the session's thread. Gives every event to the
// watch: at once if that is on this thread too, else what came together in one message to its
// thread.
class RunFeed final : public session::Participant, public std::enable_shared_from_this<RunFeed> {
 public:
  RunFeed(session::Shard& shard, core::Scheduler& to, std::weak_ptr<RunWatch> watch,
          session::ParticipantInfo info)
      : shard_(shard), to_(to), watch_(std::move(watch)), info_(std::move(info)) {}

  void start(const core::Result<session::Session*>& session);
  // Leaves, on the session's thread. From the watch's thread.
  static void stop_later(const std::shared_ptr<RunFeed>& feed);

  const session::ParticipantInfo& info() const override { return info_; }
  void on_opened(const session::InteractionPtr& /*interaction*/) override {}
  void on_closed(const session::InteractionPtr& /*interaction*/) override {}
  void on_presence(const session::ParticipantInfo& /*who*/, session::Presence /*what*/) override {}
  void on_direct_message(const session::DirectMessage& /*message*/) override {}
  void on_signal(const session::Signal& /*signal*/) override {}
  void on_event(const event::Event& event) override;
  void on_events(const event::UnitPtr& unit) override;
  void on_leave_required(session::LeaveReason reason) override;

 private:
  bool same_thread() const { return &shard_.scheduler() == &to_; }
  static void show(const std::weak_ptr<RunWatch>& watch, const event::Unit& unit);
  void tell_joined(core::Result<std::uint64_t> visible);
  void stop();

  session::Shard& shard_;
  core::Scheduler& to_;
  std::weak_ptr<RunWatch> watch_;
  session::ParticipantInfo info_;
  session::Session* session_ = nullptr;  // while joined
  bool stopped_ = false;
};

}  // namespace parley::loom
