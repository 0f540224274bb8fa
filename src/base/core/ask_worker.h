// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "base/core/contain.h"
#include "base/core/result.h"
#include "base/core/worker.h"

namespace parley::core {

// Runs `work`, which returns a Result<T>, on the worker, then `done` with the result on
// `scheduler`. An exception of `work` becomes its error (contain.h); `place` names the work in the
// log and must live as long as the program. Further error of `done`: `unavailable`, if the worker
// has stopped.
template <typename T, typename Work>
void ask_worker(Worker& worker, std::string_view place, Scheduler& scheduler,
                absl::AnyInvocable<void(Result<T>)> done, Work work) {
  const auto asked = std::make_shared<absl::AnyInvocable<void(Result<T>)>>(std::move(done));
  const auto answer = [asked, &scheduler](Result<T> result) {
    scheduler.post([asked, result = std::move(result)]() mutable { (*asked)(std::move(result)); });
  };
  Task task = [place, answer, work = std::move(work)]() mutable { answer(contain(place, work)); };
  if (!worker.try_post(task)) answer(fail(Code::unavailable, "The server is shutting down."));
}

}  // namespace parley::core
