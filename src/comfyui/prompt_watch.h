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
#include "comfyui/comfy_client.h"
#include "comfyui/event_socket.h"
#include "comfyui/progress_event.h"
#include "core/cancel.h"

namespace parley::comfyui {

// How a workflow ended that was queued and followed.
struct PromptOutcome {
  enum class Kind : std::uint8_t {
    success,
    refused,      // by the server: `faults` says which node and input
    failed,       // while it ran: `fault` says which node
    interrupted,  // by interrupt(), anybody's
    not_queued,   // no connection, or the server took it for certain not: `error`
    lost,         // the deadline, a server that is away or does not know it any more: `error`
    cancelled,    // by the token. The server goes on with it: ComfyClient::withdraw()
  };
  Kind kind = Kind::lost;
  // Empty: it was not sent, or not taken. With `lost` and `cancelled` it may be the one that the
  // server was asked to give, where its answer did not come.
  std::string prompt_id;
  std::vector<NodeOutput> outputs;  // also of a run that ended early, as far as they are known
  PromptFaults faults;              // refused; with success: of outputs that were left out
  std::optional<ExecutionFault> fault;
  core::Error error;
};

std::string_view outcome_name(PromptOutcome::Kind kind);

struct WatchOptions {
  core::Millis deadline{600'000};       // of the whole: socket, queue, run
  core::Millis check_interval{10'000};  // without an event for so long: history and queue are read
  core::Millis silence{60'000};         // a server that answers no look for so long is given up
  core::Millis first_pause{250};        // before the socket is opened again; doubled each time
  core::Millis longest_pause{5'000};
};

struct WatchEvents {
  std::function<void(const QueuedPrompt& queued)> on_queued;  // once, before any event
  std::function<void(const ProgressEvent& event)> on_event;   // of this workflow, and `status`
  std::function<void(const Preview& preview)> on_preview;
};

// Queues one workflow and follows it to its end. The WebSocket is open before the workflow is
// queued, under a client id of its own, so that no event is missed and no other run's is seen. When
// the socket breaks it is opened again, and history and queue say what happened meanwhile; the same
// after an answer to POST /prompt that never came: the workflow is looked for, not queued twice.
// Belongs to the client's home. Destroying it ends all waits; nothing is called after that.
class PromptWatch final : private EventSocketHandler {
 public:
  using Done = absl::AnyInvocable<void(PromptOutcome)>;

  // Both outlive it.
  PromptWatch(ComfyClient& client, EventSockets& sockets, WatchOptions options);
  ~PromptWatch() override;
  PromptWatch(const PromptWatch&) = delete;
  PromptWatch& operator=(const PromptWatch&) = delete;

  // Once. Client and prompt id of `request` are set here. Events and `done` come later, never
  // inside this call; `done` once. The watch may be destroyed in any of them.
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
  core::CancelSource requests_;  // of this watch
  core::CancelToken::Registration cancelled_;
  std::unique_ptr<EventSocket> socket_;
  std::vector<ProgressEvent> early_;  // before the answer to POST /prompt
  bool unsure_ = false;               // that answer did not come
  bool terminal_ = false;             // an event said that it is over
  bool looking_ = false;
  int misses_ = 0;  // times in a row that neither history nor queue had it
  core::Millis pause_{0};
  core::MonoTime heard_at_;
  core::MonoTime looked_at_;
  std::optional<core::MonoTime> silent_since_;  // the first of the looks that nothing answered
  core::TimerId deadline_timer_ = 0;
  core::TimerId socket_timer_ = 0;
  core::TimerId look_timer_ = 0;
  core::TimerId check_timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace parley::comfyui
