// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/run/run_list.h"

#include <utility>

#include "base/core/ask.h"
#include "base/core/json_writer.h"
#include "dialects/api/session/watching.h"
#include "model/session/subscription.h"

namespace parley::api {
namespace {

// The stream of a slow peer ends when more than this many bytes are queued for it.
// Limit (Runs, bytes): unread bytes of the list of runs as a stream. Reached: disconnected; the
// reader begins again.
constexpr std::size_t kMaxQueue = 4U << 20U;

// Used on the thread of its connection.
class RunListStream final : public std::enable_shared_from_this<RunListStream> {
 public:
  RunListStream(const Context& context, Call call, std::string session)
      : context_(context),
        call_(std::move(call)),
        scheduler_(call_.responder.scheduler()),
        session_(std::move(session)) {}

  void start() {
    keep_ = shared_from_this();
    // Watches before the answer begins, so that a client that then reads the list misses no change.
    watch_ = context_.run_changes->watch(
        call_.identity.workspace, scheduler_,
        core::unless_gone(weak_from_this(), &RunListStream::write),
        core::unless_gone(weak_from_this(), &RunListStream::write_removed));
    net::Response head;
    head.headers.set("Content-Type", "text/event-stream");
    head.headers.set("Cache-Control", "no-store");
    head.headers.set("X-Accel-Buffering", "no");
    writer_ = call_.responder.start(std::move(head));
    writer_->on_disconnect(core::unless_gone(weak_from_this(), &RunListStream::stop));
    writer_->write(": from here on\n\n");
    arm_heartbeat();
    const std::string own = own_session_id(call_.identity);
    subscription_ = session::Subscription(context_.hub,
                                          {own, "assistant", call_.identity.workspace}, scheduler_);
    session::Subscription::Events events;
    events.joined = [this](const core::Result<std::uint64_t>& visible) {
      if (!visible) return end(end_reason(visible.error()));
      token_watch_ = context_.door().watchers().watch(
          call_.identity.workspace, scheduler_,
          core::unless_gone(weak_from_this(), &RunListStream::check_token));
      // The token may have ended before the watch began.
      check_token();
    };
    events.left = [this](session::LeaveReason reason) { end(end_reason(reason)); };
    subscription_.watch(observer_of(context_, call_.identity, scheduler_.clock()),
                        std::move(events));
  }

 private:
  void check_token() {
    const net::Request& request = call_.request;
    if (!context_.door().verify(request.token(), request.peer)) end("token_revoked");
  }

  void write(const run::Run& run) {
    if (!is_notified(run.session)) return;
    std::string data = "data: ";
    core::JsonWriter json(data);
    json.begin_object();
    write_run(json, run);
    json.end_object();
    data += "\n\n";
    writer_->write(data);
  }

  void write_removed(const std::string& session) {
    if (!is_notified(session)) return;
    std::string data = "event: removed\ndata: ";
    core::JsonWriter json(data);
    json.begin_object().key("session_id").string(session).end_object();
    data += "\n\n";
    writer_->write(data);
  }

  // True if changes in this session are written to the stream. Ends the stream if kMaxQueue is
  // exceeded.
  bool is_notified(const std::string& session) {
    if (ended_ || (!session_.empty() && session != session_)) return false;
    if (writer_->queued() <= kMaxQueue) return true;
    end("too_slow");
    return false;
  }

  void end(std::string_view reason) {
    if (ended_) return;
    std::string data = "event: end\ndata: ";
    core::JsonWriter json(data);
    json.begin_object().key("reason").string(reason).end_object();
    data += "\n\n";
    writer_->write(data);
    writer_->end();
    stop();
  }

  void arm_heartbeat() {
    heartbeat_ = scheduler_.after(context_.heartbeat,
                                  core::unless_gone(weak_from_this(), &RunListStream::beat));
  }

  void beat() {
    if (ended_) return;
    writer_->write(": still here\n\n");
    arm_heartbeat();
  }

  void stop() {
    if (std::exchange(ended_, true)) return;
    scheduler_.cancel(std::exchange(heartbeat_, 0));
    watch_.reset();
    token_watch_.reset();
    subscription_ = {};
    // Destroyed in a later task, because the caller of stop() may still use this object.
    scheduler_.post([keep = std::move(keep_)] {});
  }

  const Context& context_;
  Call call_;
  core::Scheduler& scheduler_;
  const std::string session_;  // empty: all sessions
  std::unique_ptr<run::RunWatchers::Watch> watch_;
  std::shared_ptr<net::BodyWriter> writer_;
  session::Subscription subscription_;
  auth::TokenWatch token_watch_;
  std::shared_ptr<RunListStream> keep_;  // until stop()
  core::TimerId heartbeat_ = 0;
  bool ended_ = false;
};

}  // namespace

void stream_run_list(const Context& context, Call call, std::string session) {
  std::make_shared<RunListStream>(context, std::move(call), std::move(session))->start();
}

}  // namespace parley::api
