// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "agents/mcp/asking_offer.h"
#include "agents/mcp/assistant_client.h"
#include "agents/mcp/tool_catalog.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"

namespace parley::mcp {

// Writes to a descriptor that other processes may share, without blocking and without changing its
// flags. Keeps the bytes that cannot be written yet.
class OutputQueue {
 public:
  explicit OutputQueue(int fd) : fd_(fd) {}

  void push(std::string_view bytes) { pending_ += bytes; }
  // Writes the bytes that can be written now. False: the other end is closed.
  bool flush();

  std::size_t size() const { return pending_.size() - begin_; }
  bool empty() const { return size() == 0; }

 private:
  long write_some(std::string_view bytes);

  int fd_;
  bool is_socket_ = true;
  std::string pending_;
  std::size_t begin_ = 0;  // start of the bytes not written yet
};

struct StdioOptions {
  int in_fd = 0;
  int out_fd = 1;    // carries JSON-RPC only
  int stop_fd = -1;  // when readable, the server ends as if stdin had closed
  std::string version;
  ToolChoice tools;
  AskShape shape = AskShape::automatic;
  core::Millis longest_call{};  // 0: a call lasts as long as its question
};

// Serves one MCP client until its stdin closes, its stdout breaks, or `stop_fd` is readable. Then
// cancels the waiting questions on the server, for at most kFarewell.
void serve_stdio(const StdioOptions& options, const core::Clock& clock, core::Entropy& entropy,
                 AssistantClient::AccessSource endpoint);

inline constexpr core::Millis kFarewell = std::chrono::seconds(2);
// Stdin is not read while more bytes than this are queued for the client.
// Limit (agentassistant-mcp and parley ask, bytes): answers that wait for a slow reader. Reached:
// reading pauses.
inline constexpr std::size_t kMaxWaitingOutput = 8U << 20U;

}  // namespace parley::mcp
