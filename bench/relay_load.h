// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pinned_server.h"
#include "relay_socket.h"

namespace parley::bench {

// An agent's message and a host's answer, both of realistic length: a tool call with its reason,
// and a result with the spec of the movie stage.
std::string tool_call(std::string_view id);
std::string tool_result(std::string_view id);

// A host and an agent in one session of a relay, with a study begun.
class RelayPair {
 public:
  RelayPair(int port, const std::string& session);

  RelaySocket& host() { return host_; }
  RelaySocket& agent() { return agent_; }
  // Sends session.end; answers it as the host; waits for session.ended.
  void ask_end();
  void answer_end();
  void await_end();
  // Time from one tool.call to its tool.result, in microseconds.
  double round_trip_us();

 private:
  RelaySocket host_;
  RelaySocket agent_;
  std::size_t calls_ = 0;
};

struct Throughput {
  double messages_per_second = 0;  // relayed messages
  double cpu_us = 0;               // of the server, per message
};

// Many sessions with several concurrent calls each; one thread drives them all.
class RelayThroughput {
 public:
  RelayThroughput(const PinnedServer& server, std::size_t sessions, std::size_t window);
  RelayThroughput(const RelayThroughput&) = delete;
  RelayThroughput& operator=(const RelayThroughput&) = delete;
  ~RelayThroughput();

  Throughput measure(Seconds time);

 private:
  std::size_t turn(bool resume);  // returns the number of answered calls

  const PinnedServer& server_;
  std::size_t window_;
  std::vector<RelayPair> pairs_;
  int epoll_;
  std::size_t under_way_ = 0;
  std::size_t calls_ = 0;
};

// Records per second that the sessions of a relay log, in total, until the last session.ended
// arrives: `messages` agent.messages in each session, each of which makes two records.
double records_per_second(const PinnedServer& server, std::size_t sessions, std::size_t messages);

}  // namespace parley::bench
