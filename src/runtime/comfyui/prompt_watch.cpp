// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/prompt_watch.h"

#include <algorithm>
#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/core/duration_text.h"
#include "base/core/id.h"

namespace parley::comfyui {
namespace {

using EventKind = ProgressEvent::Kind;

constexpr std::size_t kMaxEarlyEvents = 1'024;
// Pause between two checks: the server's history has a run a moment after the event of its end.
constexpr core::Millis kHistoryPause{100};
constexpr int kMissesAfterEnd = 30;
// Limit of consecutive misses: a run may move from the queue to the history between the two reads.
constexpr int kMissesUntilLost = 3;
constexpr core::Millis kLookPause{1'000};

bool is_terminal(const ProgressEvent& event) {
  return event.kind == EventKind::execution_success || event.kind == EventKind::execution_error ||
         event.kind == EventKind::execution_interrupted ||
         (event.kind == EventKind::executing && event.node_id.empty());
}

}  // namespace

PromptWatch::PromptWatch(ComfyClient& client, EventSockets& sockets, WatchOptions options)
    : client_(client), sockets_(sockets), home_(client.home()), options_(options) {}

PromptWatch::~PromptWatch() {
  *alive_ = nullptr;
  for (const core::TimerId timer : {deadline_timer_, socket_timer_, look_timer_, check_timer_}) {
    home_.cancel(timer);
  }
  requests_.cancel("The workflow is no longer followed.");
}

void PromptWatch::start(PromptRequest request, const core::CancelToken& cancel, WatchEvents events,
                        Done done) {
  PARLEY_ASSERT(state_ == State::idle, "a watch is started twice");
  state_ = State::opening;
  request_ = std::move(request);
  request_.client_id = core::random_hex(client_.entropy(), 16);
  request_.prompt_id = core::new_id(home_.clock(), client_.entropy());
  events_ = std::move(events);
  done_ = std::move(done);
  heard_at_ = looked_at_ = home_.clock().mono();
  cancelled_ = cancel.on_cancel([this] {
    home_.post(core::unless_gone(alive_, [](PromptWatch& self) {
      self.finish(Kind::cancelled,
                  {core::Code::cancelled, "The wait for the workflow was cancelled."});
    }));
  });
  deadline_timer_ = home_.after(options_.deadline, [this] {
    deadline_timer_ = 0;
    finish(Kind::lost,
           {core::Code::deadline_exceeded,
            "The workflow did not end within " + core::exact_text(options_.deadline) + "."});
  });
  open_socket();
}

void PromptWatch::open_socket() {
  SocketRequest request;
  request.address = client_.address();
  request.target = client_.socket_target(request_.client_id);
  request.authorization = client_.options().credentials.authorization();
  request.ca_file = client_.options().ca_file;
  request.handshake_timeout = client_.options().connect_timeout;
  socket_ = sockets_.open(std::move(request), *this, home_);
}

void PromptWatch::on_socket_open() {
  pause_ = core::Millis(0);
  if (state_ == State::following) return look();
  if (state_ != State::opening) return;
  state_ = State::queueing;
  client_.queue(request_, requests_.token(), core::unless_gone(alive_, &PromptWatch::on_answer));
}

void PromptWatch::on_socket_end(const core::Error& why) {
  socket_.reset();
  if (state_ == State::opening) return finish(Kind::not_queued, why);
  if (state_ == State::ended) return;
  reopen_later();
  if (state_ == State::following) look();
}

void PromptWatch::reopen_later() {
  pause_ = pause_ == core::Millis(0) ? options_.first_pause
                                     : std::min(pause_ * 2, options_.longest_pause);
  home_.cancel(socket_timer_);
  socket_timer_ = home_.after(pause_, [this] {
    socket_timer_ = 0;
    open_socket();
  });
}

void PromptWatch::on_answer(core::Result<PromptAnswer> answer) {
  if (state_ != State::queueing) return;
  if (answer) {
    if (auto* queued = std::get_if<QueuedPrompt>(&*answer)) return on_queued(std::move(*queued));
    outcome_.faults = std::move(std::get<PromptFaults>(*answer));
    return finish(Kind::refused);
  }
  const core::Code code = answer.error().code;
  outcome_.error = std::move(answer.error());
  const bool unclear = code == core::Code::unavailable || code == core::Code::deadline_exceeded ||
                       code == core::Code::internal;
  if (!unclear) return finish(Kind::not_queued, outcome_.error);
  // The server may have the workflow: look it up under the id that was sent.
  unsure_ = true;
  state_ = State::following;
  check_later();
  look();
}

void PromptWatch::on_queued(QueuedPrompt queued) {
  unsure_ = false;
  outcome_.prompt_id = queued.prompt_id;
  outcome_.faults = queued.partial;
  if (state_ != State::following) check_later();
  state_ = State::following;
  const std::shared_ptr<PromptWatch*> alive = alive_;
  if (events_.on_queued) events_.on_queued(queued);
  if (!*alive) return;
  for (ProgressEvent& event : std::exchange(early_, {})) {
    if (state_ != State::following) return;
    take(std::move(event));
    if (!*alive) return;
  }
  if (!socket_ && state_ == State::following) look();
}

void PromptWatch::on_socket_message(net::MessageType type, std::string message) {
  heard_at_ = home_.clock().mono();
  if (state_ != State::queueing && state_ != State::following) return;
  if (type == net::MessageType::binary) {
    const auto preview = read_preview(message);
    if (preview && events_.on_preview) events_.on_preview(*preview);
    return;
  }
  auto event = read_progress_event(message);
  if (!event || !*event) return;  // malformed, or of an unknown type
  if (state_ == State::queueing || unsure_) {
    if (early_.size() < kMaxEarlyEvents) early_.push_back(std::move(**event));
    return;
  }
  take(std::move(**event));
}

// False if the watch is destroyed, or has ended.
bool PromptWatch::tell(const ProgressEvent& event) {
  const std::shared_ptr<PromptWatch*> alive = alive_;
  if (events_.on_event) events_.on_event(event);
  return *alive && state_ == State::following;
}

void PromptWatch::take(ProgressEvent event) {
  if (event.kind == EventKind::status) {
    if (!tell(event)) return;
    // `status` is the only event when the workflow is deleted from the queue.
    if (home_.clock().mono() - looked_at_ >= kLookPause) look();
    return;
  }
  if (!event.prompt_id.empty() && event.prompt_id != outcome_.prompt_id) return;
  if (event.output && outcome_.outputs.size() < kMaxOutputNodes) {
    outcome_.outputs.push_back(*event.output);
  }
  if (event.fault) outcome_.fault = event.fault;
  if (!tell(event)) return;
  if (is_terminal(event)) on_terminal(event);
}

void PromptWatch::on_terminal(const ProgressEvent& event) {
  if (event.kind == EventKind::execution_interrupted) outcome_.kind = Kind::interrupted;
  if (event.kind == EventKind::execution_error) outcome_.kind = Kind::failed;
  if (event.kind == EventKind::execution_success) outcome_.kind = Kind::success;
  terminal_ = true;
  misses_ = 0;
  look();
}

void PromptWatch::look() {
  if (looking_ || state_ != State::following) return;
  home_.cancel(std::exchange(look_timer_, 0));
  looking_ = true;
  looked_at_ = home_.clock().mono();
  const std::string& id = unsure_ ? request_.prompt_id : outcome_.prompt_id;
  client_.history(id, requests_.token(), core::unless_gone(alive_, &PromptWatch::on_history));
}

void PromptWatch::look_later(core::Millis pause) {
  home_.cancel(look_timer_);
  look_timer_ = home_.after(pause, [this] {
    look_timer_ = 0;
    look();
  });
}

void PromptWatch::on_history(core::Result<std::optional<PromptRecord>> record) {
  if (state_ != State::following) return;
  if (!record) return on_no_answer(record.error());
  silent_since_.reset();
  if (*record) return finish_with(std::move(**record));
  client_.queue_state(requests_.token(), core::unless_gone(alive_, &PromptWatch::on_queue));
}

void PromptWatch::on_queue(core::Result<QueueState> queue) {
  looking_ = false;
  if (state_ != State::following) return;
  if (!queue) return on_no_answer(queue.error());
  const QueueEntry* found = nullptr;
  for (const auto* list : {&queue->running, &queue->pending}) {
    for (const QueueEntry& entry : *list) {
      // An older server assigned an id that did not reach the client.
      const bool ours =
          unsure_ ? entry.prompt_id == request_.prompt_id || entry.client_id == request_.client_id
                  : entry.prompt_id == outcome_.prompt_id;
      if (ours) found = &entry;
    }
  }
  if (found == nullptr) return on_miss();
  misses_ = 0;
  if (unsure_) return on_queued({found->prompt_id, found->number, {}});
  if (terminal_) look_later(kHistoryPause);
}

void PromptWatch::on_no_answer(const core::Error& error) {
  looking_ = false;
  const core::MonoTime now = home_.clock().mono();
  if (!silent_since_ || heard_at_ > *silent_since_) silent_since_ = now;
  if (now - *silent_since_ < options_.silence) return look_later(kLookPause);
  finish(Kind::lost,
         {error.code == core::Code::deadline_exceeded ? core::Code::unavailable : error.code,
          "The ComfyUI server has not answered for " + core::exact_text(options_.silence) + ". " +
              error.message});
}

void PromptWatch::on_miss() {
  ++misses_;
  if (terminal_ && misses_ >= kMissesAfterEnd) {
    // An event reported the end, and the history has no entry.
    return finish(outcome_.kind == Kind::lost ? Kind::success : outcome_.kind);
  }
  if (!terminal_ && misses_ >= kMissesUntilLost) {
    if (unsure_) return finish(Kind::not_queued, outcome_.error);
    return finish(Kind::lost, {core::Code::not_found,
                               "The ComfyUI server no longer has the workflow: it was deleted from "
                               "the queue, or the server was restarted."});
  }
  look_later(kHistoryPause);
}

void PromptWatch::check_later() {
  check_timer_ = home_.after(options_.check_interval, [this] {
    check_timer_ = 0;
    check_later();
    if (home_.clock().mono() - heard_at_ >= options_.check_interval) look();
  });
}

// The kind that an event told. Without an event of a failure, the run counts as successful.
PromptOutcome::Kind PromptWatch::kind_without_status() const {
  if (outcome_.fault) return Kind::failed;
  return outcome_.kind == Kind::interrupted ? Kind::interrupted : Kind::success;
}

void PromptWatch::finish_with(PromptRecord record) {
  const std::shared_ptr<PromptWatch*> alive = alive_;
  if (unsure_) {
    unsure_ = false;
    outcome_.prompt_id = record.prompt_id;
    if (events_.on_queued) events_.on_queued({record.prompt_id, 0, {}});
    if (!*alive || state_ == State::ended) return;
  }
  outcome_.outputs = std::move(record.outputs);
  if (record.fault) outcome_.fault = std::move(record.fault);
  switch (record.status) {
    case PromptRecord::Status::success:
      return finish(Kind::success);
    case PromptRecord::Status::interrupted:
      return finish(Kind::interrupted);
    case PromptRecord::Status::error:
      // Older servers report an interruption by its event only.
      return finish(outcome_.kind == Kind::interrupted ? Kind::interrupted : Kind::failed);
    case PromptRecord::Status::unknown:
      return finish(kind_without_status());
  }
}

void PromptWatch::finish(Kind kind, core::Error error) {
  const State before = std::exchange(state_, State::ended);
  if (before == State::ended) return;
  // Sent, but without an answer: newer servers use the id in the request.
  if (outcome_.prompt_id.empty() && kind != Kind::refused && kind != Kind::not_queued &&
      (before == State::queueing || unsure_)) {
    outcome_.prompt_id = request_.prompt_id;
  }
  outcome_.kind = kind;
  outcome_.error = std::move(error);
  for (core::TimerId* timer : {&deadline_timer_, &socket_timer_, &look_timer_, &check_timer_}) {
    home_.cancel(std::exchange(*timer, 0));
  }
  cancelled_.reset();
  socket_.reset();
  requests_.cancel("The workflow has ended.");
  Done done = std::move(done_);
  done(std::move(outcome_));
}

}  // namespace parley::comfyui
