// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pinned_server.h"
#include "relay_socket.h"

namespace parley::bench {

// What an agent sends and a host answers: a tool call with its reason, and a result with the spec
// of the movie stage, as long as real ones are.
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
  // The time of one tool.call to its tool.result, in microseconds.
  double round_trip_us();

 private:
  RelaySocket host_;
  RelaySocket agent_;
  std::size_t calls_ = 0;
};

struct Throughput {
  double messages_per_second = 0;  // that the relay passed on
  double cpu_us = 0;               // of the server, for one of them
};

// Many sessions, in each of which some calls are under way at a time; one thread drives them all.
class RelayThroughput {
 public:
  RelayThroughput(const PinnedServer& server, std::size_t sessions, std::size_t window);
  RelayThroughput(const RelayThroughput&) = delete;
  RelayThroughput& operator=(const RelayThroughput&) = delete;
  ~RelayThroughput();

  Throughput measure(Seconds time);

 private:
  std::size_t turn(bool go_on);  // calls that were answered

  const PinnedServer& server_;
  std::size_t window_;
  std::vector<RelayPair> pairs_;
  int epoll_;
  std::size_t under_way_ = 0;
  std::size_t calls_ = 0;
};

// Records a second that sessions of a relay take, in all, until the last session.ended is told:
// `messages` agent.messages in each, of which each makes two records.
double records_per_second(const PinnedServer& server, std::size_t sessions, std::size_t messages);

}  // namespace parley::bench
