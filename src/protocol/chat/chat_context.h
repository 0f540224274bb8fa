// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include "auth/token_store.h"
#include "comfyui/server/server_registry.h"
#include "core/clock.h"
#include "core/entropy.h"
#include "core/work_gate.h"
#include "event/session_store.h"
#include "front_end/front_end_store.h"
#include "net/http/metrics.h"
#include "protocol/chat/chat_session_store.h"
#include "runtime/run/run_service.h"
#include "runtime/tool/worker.h"
#include "session/hub.h"

namespace parley::chat {

// The name by which front ends call the one agent that they know: ChatOptions::agent.
inline constexpr std::string_view kFrontEndAgent = "WORKFLOW_CHAT";

// Settings of the chat; docs/protocol-chat.md says what reaching each limit does.
struct ChatOptions {
  std::size_t max_message_bytes = 16U << 20U;  // close 1009
  bool compression = true;
  std::string agent = "react";          // where a message names none, or the name of the front ends
  std::size_t max_waiting = 64;         // answers that one connection waits for
  std::size_t page_events = 200;        // in one read of what came before
  std::size_t page_bytes = 1U << 20U;   // of the same; the event that passes it is the last
  std::size_t replayed_messages = 200;  // the newest, of those that a client asks for again
  std::size_t watermark = 256U << 10U;  // queued for a client: reading on waits
  core::Millis retry_delay{20};         // between two looks at a queue that is full
};

struct ChatCounters {
  explicit ChatCounters(net::Metrics& metrics);
  net::Counter& messages;
  net::Counter& errors;
  net::Counter& replays_cut;
};

// Counts one of the large answers that are made at the same time, as long as it lives.
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

// Listings of messages at the same time, of all clients: each reads a whole conversation.
inline constexpr int kMaxMessageLists = 16;

// Ground of all connections and routes of the chat. Thread-safe; outlives the server, and is
// destroyed before what it is made of.
struct ChatContext {
  session::Hub& hub;
  event::SessionStore& store;
  run::RunService& runs;
  ChatSessionStore& sessions;
  auth::Verifier& verifier;
  core::Entropy& entropy;
  tool::WorkerPool& workers;  // for what takes long
  core::WorkGate& gate;       // asked before a message is noted
  ChatCounters counters;
  ChatOptions options = {};
  // Null: no routes of agents, models, workflows and files.
  front_end::FrontEndStore* front_end = nullptr;
  const comfyui::ComfyGround* comfyui = nullptr;  // null: no ComfyUI servers here
  std::atomic<int> open_views{0};                 // files of ComfyUI servers that are fetched
  std::atomic<int> open_lists{0};                 // messages of sessions that are listed
};

}  // namespace parley::chat
