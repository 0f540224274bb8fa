// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/work_gate.h"
#include "base/net/http/metrics.h"
#include "dialects/chat/chat_session_store.h"
#include "identity/auth/token_store.h"
#include "model/event/session_store.h"
#include "model/session/hub.h"
#include "runtime/comfyui/server/server_registry.h"
#include "runtime/run/run_service.h"
#include "runtime/tool/worker.h"
#include "services/front_end/front_end_store.h"

namespace parley::chat {

// Name of the only agent that front ends know; stands for ChatOptions::agent.
inline constexpr std::string_view kFrontEndAgent = "WORKFLOW_CHAT";

// Settings of the chat; docs/protocol-chat.md describes the effect of each limit.
struct ChatOptions {
  std::size_t max_message_bytes = 16U << 20U;  // a larger message closes the connection with 1009
  bool compression = true;
  std::string agent = "react";  // for messages without an agent, or with kFrontEndAgent
  // Limit (Chats): answers that a connection waits for. Reached: ERROR.
  std::size_t max_waiting = 64;   // answers that one connection awaits at once
  std::size_t page_events = 200;  // events in one read of the backlog
  // Bytes in one read of the backlog; the event that exceeds them is the last.
  std::size_t page_bytes = 1U << 20U;
  // Limit (Chats): newest messages whose frames are sent again for `?after=`. Reached: REPLAY_CUT
  // with the number where the frames begin, counted (`parley_chat_replays_cut_total`); `GET
  // …/messages` has the older ones.
  std::size_t replayed_messages = 200;  // limit of a replay: the newest messages
  // Bytes queued for a client; above it reading the backlog waits.
  std::size_t watermark = 256U << 10U;
  core::Millis retry_delay{20};  // interval between checks of a full queue
};

struct ChatCounters {
  explicit ChatCounters(net::Metrics& metrics);
  net::Counter& messages;
  net::Counter& errors;
  net::Counter& replays_cut;
};

// Takes one of `limit` slots for large answers that are prepared concurrently, and frees it on
// destruction. Check taken(): false if no slot was free.
class AnswerSlot {
 public:
  AnswerSlot(std::atomic<int>& open, int limit) : open_(open), taken_(++open <= limit) {}
  ~AnswerSlot() { --open_; }
  AnswerSlot(const AnswerSlot&) = delete;
  AnswerSlot& operator=(const AnswerSlot&) = delete;
  bool taken() const { return taken_; }

 private:
  std::atomic<int>& open_;
  const bool taken_;
};

// Limit of concurrent listings of messages, of all clients together; each listing reads a whole
// conversation.
// Limit (Chats): messages of sessions that are listed at the same time. Reached: error in the
// wrapper.
inline constexpr int kMaxMessageLists = 16;
// Checks of ComfyUI servers that are asked for at a time.
// Limit (Chats): checks of ComfyUI servers that are asked for at a time. Reached: error in the
// wrapper.
inline constexpr int kMaxHealthChecks = 16;

// State shared by all connections and routes of the chat. Thread-safe. Must outlive the server and
// be destroyed before the objects that it refers to.
struct ChatContext {
  session::Hub& hub;
  event::SessionStore& store;
  run::RunService& runs;
  ChatSessionStore& sessions;
  auth::Verifier& verifier;
  core::Entropy& entropy;
  tool::WorkerPool& workers;  // for long computations
  core::WorkGate& gate;       // consulted before a message is stored
  ChatCounters counters;
  ChatOptions options = {};
  // Null: there are no routes for agents, models, workflows and files.
  front_end::FrontEndStore* front_end = nullptr;
  const comfyui::ComfyDependencies* comfyui = nullptr;  // null: no ComfyUI servers
  std::atomic<int> open_views{0};                       // downloads of files from ComfyUI servers
  std::atomic<int> open_lists{0};                       // listings of the messages of sessions
  std::atomic<int> open_checks{0};                      // checks of ComfyUI servers
};

}  // namespace parley::chat
