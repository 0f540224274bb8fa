// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "core/contain.h"
#include "core/result.h"
#include "core/worker.h"

namespace parley::core {

// Runs `work`, which returns a Result<T>, on the worker, and `done` with its result on `scheduler`.
// An exception of `work` is its error (contain.h); `place` names the work in the log and lives as
// long as the program. Neither runs if the worker has stopped.
template <typename T, typename Work>
void ask_worker(Worker& worker, std::string_view place, Scheduler& scheduler,
                absl::AnyInvocable<void(Result<T>)> done, Work work) {
  worker.post([place, &scheduler, done = std::move(done), work = std::move(work)]() mutable {
    Result<T> result = contain(place, work);
    scheduler.post([done = std::move(done), result = std::move(result)]() mutable {
      done(std::move(result));
    });
  });
}

}  // namespace parley::core
