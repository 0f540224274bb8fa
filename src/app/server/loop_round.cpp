// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/loop_round.h"

#include <atomic>
#include <cstddef>
#include <future>
#include <memory>

namespace parley::app {

void wait_for_round(const std::vector<core::Scheduler*>& loops, core::Millis patience) {
  struct Round {
    std::atomic<std::size_t> missing;
    std::promise<void> over;
  };
  auto round = std::make_shared<Round>();
  round->missing = loops.size();
  for (core::Scheduler* const loop : loops) {
    loop->post([round] {
      if (--round->missing == 0) round->over.set_value();
    });
  }
  round->over.get_future().wait_for(patience);
}

}  // namespace parley::app
