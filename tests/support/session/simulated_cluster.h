// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/core/entropy.h"
#include "tests/support/session/simulated_node.h"
#include "tests/support/session/simulated_watcher.h"

// For tests only.
namespace parley::session {

// A random simulation of some nodes on one store, from a seed: sessions with questions, events and
// watchers, while nodes are killed, stopped, cut off from the store, drained and started again, and
// the store's clock jumps. Each broken guarantee is a failure of the test.
class SimulatedCluster {
 public:
  // `tell`: prints every step to the standard output.
  SimulatedCluster(std::uint64_t seed, bool tell);
  ~SimulatedCluster();
  SimulatedCluster(const SimulatedCluster&) = delete;
  SimulatedCluster& operator=(const SimulatedCluster&) = delete;

  void step();
  // Runs everything to its end and checks the whole log.
  void end();

 private:
  struct Caller {
    SimulatedNode* node = nullptr;
    int life = 0;
    bool done = false;
  };
  // A session as its clients know it.
  struct Known {
    std::string id;
    std::string owner;
    placement::Slot slot = 0;  // the owner's
    bool streams = false;      // it has flowing events
    SeenEvents seen;
    std::map<std::string, std::string> fates;                       // by key
    std::map<std::string, int> winners;                             // by key
    std::map<std::uint64_t, std::string> acknowledged;              // payloads of durable events
    std::set<std::string> refused;                                  // payloads that were not stored
    std::map<std::string, std::pair<int, placement::Epoch>> homes;  // by node: life and epoch
  };
  struct Watching {
    SimulatedNode* node = nullptr;
    int life = 0;
    Known* session = nullptr;
    std::unique_ptr<SimulatedWatcher> watcher;
  };

  std::uint64_t pick(std::uint64_t count) { return entropy_.next_u64() % count; }
  void tell(const std::string& what) const;
  SimulatedNode& any_node() { return *nodes_[pick(nodes_.size())]; }
  Known& any_session() { return sessions_[pick(sessions_.size())]; }
  // Calls `use` with the session on a node that serves it, if there is one.
  template <typename Use>
  void with_session(Known& known, Use use);

  void ask();
  void answer();
  void append_durable();
  void append_flowing();
  void join();
  void leave();

  void step_of_a_node();
  void kill(SimulatedNode& node);
  void work(std::size_t calls);
  void advance(core::Millis by);
  void settle();
  bool serve_all() const;  // the sessions that are used
  bool is_placed() const;  // all slots

  void note_fate(Known& known, const Interaction& interaction);
  void check_homes();
  void check_settled();
  void check_log(const Known& known);

  const bool tell_;
  core::SeededEntropy entropy_;
  core::FakeClock clock_;  // of the store
  event::MemorySessionStore store_;
  placement::MemoryHomes homes_{clock_};
  std::vector<Known> sessions_;
  std::vector<std::unique_ptr<SimulatedNode>> nodes_;
  std::vector<std::shared_ptr<Caller>> callers_;
  std::vector<Watching> watchers_;
  int steps_ = 0;
  int made_ = 0;
  bool clock_jumped_ = false;  // since the last settle()
};

}  // namespace parley::session
