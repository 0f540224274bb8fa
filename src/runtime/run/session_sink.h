// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/scheduler.h"
#include "model/session/session.h"
#include "runtime/stream/event_sink.h"

namespace parley::run {

// Appends the events of a run to its session. Events of one turn of the loop go to the store as one
// unit, which is durable if one of its events is. Belongs to the session's shard; create with
// std::make_shared. The session must outlive it, or close() is called before.
class SessionSink final : public runtime::EventSink,
                          public std::enable_shared_from_this<SessionSink> {
 public:
  // `failed` is called once, later, if the store has refused events: the run cannot continue.
  SessionSink(session::Session& session, core::Scheduler& shard,
              std::function<void(const core::Error&)> failed);

  void emit(std::string_view node_id, runtime::RunEvent event) override;
  void when_durable(absl::AnyInvocable<void(core::Result<void>)> done) override;

  // Appends an event that is not one of the 24, as durable; `done` gets its seq, or the error that
  // lost an earlier event of the run: nothing is appended after such an error.
  void append_durable(std::string_view type, std::string payload, session::Session::EventDone done);
  // Passes the events of this turn to the session at once.
  void flush();
  // No event reaches the session after this.
  void close();

  const std::string& last_node_id() const { return last_node_id_; }
  // Text that was streamed to the person by a node that has not finished; at most the first
  // kMaxUnfinishedText bytes.
  const std::string& unfinished_text() const { return unfinished_text_; }
  static constexpr std::size_t kMaxUnfinishedText = 256U << 10U;
  // Sum of the usage of all model calls reported to the sink, including those of sub-agents and of
  // failed nodes.
  const std::optional<runtime::Usage>& spent() const { return spent_; }

 private:
  struct Waiter {
    std::uint64_t batch = 0;
    absl::AnyInvocable<void(core::Result<void>)> done;
  };

  void commit(session::Session::EventDone done);
  void on_committed(std::uint64_t batch, const core::Result<std::uint64_t>& seq);
  void fail(const core::Error& error);
  void follow_text(const runtime::RunEvent& event);

  session::Session* session_;
  core::Scheduler& shard_;
  std::function<void(const core::Error&)> failed_;
  std::string last_node_id_ = "run-0";
  std::string unfinished_text_;
  std::optional<runtime::Usage> spent_;
  std::vector<session::Session::NewEvent> batch_;
  bool batch_durable_ = false;
  bool turn_posted_ = false;
  std::uint64_t last_batch_ = 0;   // the last one passed to the store as durable
  std::uint64_t last_stored_ = 0;  // the last one of these that is durable
  std::vector<Waiter> waiters_;
  std::optional<core::Error> error_;
};

}  // namespace parley::run
