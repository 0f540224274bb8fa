// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/session/hub.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/event/memory_session_store.h"
#include "tests/support/session/simulated_watcher.h"

// For tests only.
namespace parley::session {

// A random simulation of one workspace, from a seed, on a store whose progress and failures are
// scripted. Each broken guarantee is a failure of the test.
class SimulatedWorkspace {
 public:
  // `tell`: prints every step to the standard output.
  SimulatedWorkspace(std::uint64_t seed, bool tell);
  ~SimulatedWorkspace();
  SimulatedWorkspace(const SimulatedWorkspace&) = delete;
  SimulatedWorkspace& operator=(const SimulatedWorkspace&) = delete;

  void step();
  // Runs everything to its end and checks the whole log.
  void end();

 private:
  struct Caller {
    std::string key;
    WaiterId waiter = 0;
    Session* session = nullptr;
    int life = 0;
    bool done = false;
  };

  std::uint64_t pick(std::uint64_t count) { return entropy_.next_u64() % count; }
  std::string any_key();
  void tell(const std::string& what) const;
  template <typename Use>
  void with_session(Use use);

  void start();
  void random_step();
  void step_of_the_disk();
  void ask();
  void give_up();
  void answer();
  void cancel();
  void withdraw();
  void append_durable();
  void append_flowing();
  void join();
  void leave();
  void revoke();
  void kill();

  std::vector<Session::NewEvent> new_events(bool flowing);
  void let_the_disk_work();
  void settle();
  void all_leave();
  void note_receipt(const core::Result<AnswerReceipt>& receipt);
  void note_fate(const Interaction& interaction);

  void check_settled();
  void check_given_up();
  void check_memory();
  void check_log();

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_;
  const bool tell_;
  event::MemorySessionStore store_;
  SessionLimits limits_;
  std::unique_ptr<Hub> hub_;
  SeenEvents seen_;
  std::vector<std::unique_ptr<SimulatedWatcher>> watchers_;
  std::vector<std::shared_ptr<Caller>> callers_;
  std::set<std::string> given_up_;  // since the last restart, by their last caller
  std::map<std::string, std::string> fates_;
  std::map<std::string, int> winners_;
  std::map<std::uint64_t, std::string> acknowledged_;  // payloads of durable events
  std::set<std::string> unanswered_;                   // durable events whose `done` has not run
  std::set<std::string> flowing_;                      // payloads of flowing events given to the
                                                       // session
  std::set<std::string> lost_;                         // payloads that the session reported as lost
  int life_ = 0;
  int steps_ = 0;
  int made_ = 0;
  bool numbers_may_be_lost_ = false;
};

}  // namespace parley::session
