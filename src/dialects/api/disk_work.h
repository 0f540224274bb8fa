// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "base/core/ask.h"
#include "dialects/api/api.h"

namespace parley::api {

// Limit of requests, of all callers together, that wait for Context::disk.
// Limit (Tokens): requests together that wait for the list of tokens, `/v1/tls`, `/v1/setup` or
// `/v1/rules`. Reached: `resource_exhausted`.
inline constexpr std::size_t kMaxWaitingForDisk = 64;

// Runs `work` (core::Result<T>()) on Context::disk, then `answer` (void(Call&, T)) on the thread of
// the call. Sends the error if `work` fails or kMaxWaitingForDisk is reached. `place` names the
// work in the log and must live as long as the program.
template <typename T, typename Work, typename Answer>
void with_disk(const Context& context, Call call, std::string_view place, Work work,
               Answer answer) {
  const std::shared_ptr<std::atomic<std::size_t>> waiting = context.waiting_for_disk;
  if (waiting->fetch_add(1) >= kMaxWaitingForDisk) {
    --*waiting;
    return send_error(call, {core::Code::resource_exhausted,
                             "Too many requests of this kind are waiting. Try again later.",
                             {}});
  }
  core::Scheduler& back = call.responder.scheduler();
  core::ask(
      context.disk, place, back,
      [call = std::move(call), answer](core::Result<T> result) mutable {
        if (!result) return send_error(call, result.error());
        answer(call, std::move(*result));
      },
      [waiting, work = std::move(work)]() mutable {
        const absl::Cleanup leave = [&waiting] { --*waiting; };
        return core::Result<T>(work());
      });
}

}  // namespace parley::api
