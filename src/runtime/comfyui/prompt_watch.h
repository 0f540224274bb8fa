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
#include "base/core/cancel.h"
#include "runtime/comfyui/comfy_client.h"
#include "runtime/comfyui/event_socket.h"
#include "runtime/comfyui/progress_event.h"

namespace parley::comfyui {

// Outcome of a workflow that was queued and watched.
struct PromptOutcome {
  enum class Kind : std::uint8_t {
    success,
    refused,      // by the server: `faults` has nodes and inputs
    failed,       // during the run: `fault` has the node
    interrupted,  // by interrupt(), of any client
    not_queued,   // no connection, or the server did not accept it: `error`
    lost,         // deadline; server unreachable; workflow unknown to the server: `error`
    cancelled,    // by the token. The server continues the workflow: see ComfyClient::withdraw()
  };
  Kind kind = Kind::lost;
  // Empty: not sent, or not accepted. With `lost` and `cancelled`, if the server's answer did not
  // arrive, the id in the request, which older servers replace by their own.
  std::string prompt_id;
  std::vector<NodeOutput> outputs;  // also of a run that ended early, as far as known
  PromptFaults faults;              // of a refusal; with success: of outputs that did not run
  std::optional<ExecutionFault> fault;
  core::Error error;
};

struct WatchOptions {
  core::Millis deadline{600'000};  // of everything: socket, queue, run
  // Time without a message of the socket after which history and queue are read.
  core::Millis check_interval{10'000};
  core::Millis silence{60'000};   // `lost` if the server answers no check for this time
  core::Millis first_pause{250};  // before reconnecting the socket; doubled each time
  core::Millis longest_pause{5'000};
};

struct WatchEvents {
  std::function<void(const QueuedPrompt& queued)> on_queued;  // at most once, before on_event
  // Events of this workflow, and those of kind `status`.
  std::function<void(const ProgressEvent& event)> on_event;
  std::function<void(const Preview& preview)> on_preview;
};

// Queues one workflow and watches it to its end. The WebSocket is open before the workflow is
// queued, under a client id of its own, so that no event is missed and no other run's event is
// seen. If the socket breaks, it is reconnected, and history and queue show what happened
// meanwhile. If the answer to POST /prompt is lost, the workflow is looked up in the same way and
// not queued twice. Belongs to the client's home. Destruction ends all waits; no callback runs
// after it.
class PromptWatch final : private EventSocketHandler {
 public:
  using Done = absl::AnyInvocable<void(PromptOutcome)>;

  // Both must outlive the watch.
  PromptWatch(ComfyClient& client, EventSockets& sockets, WatchOptions options);
  ~PromptWatch() override;
  PromptWatch(const PromptWatch&) = delete;
  PromptWatch& operator=(const PromptWatch&) = delete;

  // Call once. Sets the client id and prompt id of `request`. Events and `done` are called later,
  // never inside this call; `done` once. The watch may be destroyed in any of these callbacks.
  void start(PromptRequest request, const core::CancelToken& cancel, WatchEvents events, Done done);

 private:
  enum class State : std::uint8_t { idle, opening, queueing, following, ended };
  using Kind = PromptOutcome::Kind;

  void on_socket_open() override;
  void on_socket_message(net::MessageType type, std::string message) override;
  void on_socket_end(const core::Error& why) override;

  void open_socket();
  void reopen_later();
  void on_answer(core::Result<PromptAnswer> answer);
  void on_queued(QueuedPrompt queued);
  void take(ProgressEvent event);
  bool tell(const ProgressEvent& event);
  void on_terminal(const ProgressEvent& event);
  void look();
  void look_later(core::Millis pause);
  void on_history(core::Result<std::optional<PromptRecord>> record);
  void on_queue(core::Result<QueueState> queue);
  void on_miss();
  void on_no_answer(const core::Error& error);
  void check_later();
  Kind kind_without_status() const;
  void finish_with(PromptRecord record);
  void finish(Kind kind, core::Error error = {});

  ComfyClient& client_;
  EventSockets& sockets_;
  core::Scheduler& home_;
  const WatchOptions options_;
  State state_ = State::idle;
  PromptRequest request_;
  WatchEvents events_;
  Done done_;
  PromptOutcome outcome_;
  core::CancelSource requests_;  // requests of this watch
  core::CancelToken::Registration cancelled_;
  std::unique_ptr<EventSocket> socket_;
  std::vector<ProgressEvent> early_;  // received before the answer to POST /prompt
  bool unsure_ = false;               // that answer was lost
  bool terminal_ = false;             // an event reported the end
  bool looking_ = false;
  int misses_ = 0;  // consecutive checks that found it neither in history nor in queue
  core::Millis pause_{0};
  core::MonoTime heard_at_;
  core::MonoTime looked_at_;
  std::optional<core::MonoTime> silent_since_;  // time of the first check without an answer
  core::TimerId deadline_timer_ = 0;
  core::TimerId socket_timer_ = 0;
  core::TimerId look_timer_ = 0;
  core::TimerId check_timer_ = 0;
  std::shared_ptr<PromptWatch*> alive_ = std::make_shared<PromptWatch*>(this);
};

}  // namespace parley::comfyui
