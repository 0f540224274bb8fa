// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/net/loop/loop.h"
#include "base/net/loop/tcp.h"
#include "programs/agent_client/agent_client.h"
#include "programs/agent_client/relay_link.h"
#include "tools/conformance/channel.h"

namespace parley::kill {

// A result that the agent has received. `marker` appears in the log's record of it only.
struct SeenResult {
  std::string marker;
  core::MonoTime at;
};

// A scripted host page and an agent in one relay session, each on a connection of its own that
// reconnects after a restart of the server. Between begin() and rest() the agent calls tools
// without a pause. All public calls must be on one thread; host and agent run on another.
class StudyLoad {
 public:
  StudyLoad(const agent_client::ServerUrl& server, std::string token);
  StudyLoad(const StudyLoad&) = delete;
  StudyLoad& operator=(const StudyLoad&) = delete;
  ~StudyLoad();

  // Blocks until both have joined and the agent knows of the host. False: the deadline passed.
  bool wait_until_joined(conformance::Deadline deadline);
  // Starts a study; returns the id that the server gave it.
  core::Result<std::string> start_study(const std::string& participant);
  // Sends session.end; returns the id and the log file in the server's answer.
  struct Ended {
    std::string study;
    std::string log_file;
  };
  core::Result<Ended> end_study();

  void begin();
  // Returns when no call is in flight.
  void rest();
  // Blocks until the agent has received `count` results in all. False: the deadline passed.
  bool wait_for_results(std::size_t count, conformance::Deadline deadline);
  std::vector<SeenResult> seen() const;

 private:
  class Host;
  class Agent;

  core::Result<std::string> ask(std::function<void(agent_client::AgentClient::Done)> how,
                                std::string_view member);

  core::SystemClock clock_;
  core::SystemEntropy entropy_;
  net::Loop loop_{clock_};
  net::SystemNetwork network_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool ready_ = false;  // the agent has joined, and a host is connected
  bool running_ = false;
  std::size_t under_way_ = 0;
  std::vector<SeenResult> seen_;
  std::unique_ptr<Host> host_;    // of the loop's thread
  std::unique_ptr<Agent> agent_;  // of the loop's thread
  std::jthread thread_;
};

}  // namespace parley::kill
