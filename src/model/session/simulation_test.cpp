// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Random simulations, each from a seed. Of a workspace: questions, answers, callers that give up
// and return, durable and flowing events, participants that join and leave, a disk that is slow and
// fails several times at once, sessions that are dropped from memory and loaded again, kill -9. Of
// a cluster: nodes on one store that are killed, stopped, cut off and drained. The guarantees of
// the model are checked at every step. PARLEY_SEED=N replays one seed and prints each step;
// PARLEY_FIRST_SEED and PARLEY_SEEDS choose a range (`make simulate`).
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <iostream>

#include "tests/support/session/simulated_cluster.h"
#include "tests/support/session/simulated_workspace.h"

namespace parley::session {
namespace {

constexpr std::uint64_t kSeeds = 4'000;
constexpr std::uint64_t kClusterSeeds = 1'000;
constexpr int kSteps = 250;

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

// The failures of the simulated disk are logged, each as an error.
class QuietLog {
 public:
  QuietLog() { spdlog::set_level(spdlog::level::off); }
  ~QuietLog() { spdlog::set_level(before_); }
  QuietLog(const QuietLog&) = delete;
  QuietLog& operator=(const QuietLog&) = delete;

 private:
  spdlog::level::level_enum before_ = spdlog::get_level();
};

template <typename World>
void live(std::uint64_t seed, bool tell) {
  World world(seed, tell);
  for (int step = 0; step < kSteps && !testing::Test::HasFailure(); ++step) world.step();
  if (!testing::Test::HasFailure()) world.end();
}

template <typename World>
void live_seeds(std::uint64_t seeds) {
  const QuietLog quiet;
  const std::uint64_t replayed = setting("PARLEY_SEED", 0);
  const std::uint64_t first = replayed != 0 ? replayed : setting("PARLEY_FIRST_SEED", 1);
  const std::uint64_t count = replayed != 0 ? 1 : setting("PARLEY_SEEDS", seeds);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    live<World>(seed, replayed != 0);
    if (!testing::Test::HasFailure()) continue;
    std::cout << "seed " << seed << " failed; again, step by step: make simulate SEED=" << seed
              << "\n"
              << std::flush;
    return;
  }
}

TEST(SimulationOfAWorkspace, Invariants_HoldForEverySeed) {
  live_seeds<SimulatedWorkspace>(kSeeds);
}

TEST(SimulationOfACluster, Invariants_HoldForEverySeed) {
  live_seeds<SimulatedCluster>(kClusterSeeds);
}

}  // namespace
}  // namespace parley::session
