// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/ask.h"
#include "base/core/contain.h"
#include "base/core/scheduler.h"
#include "model/event/session_reader.h"
#include "model/event/session_store.h"

namespace parley::event {

// One read. Called once, with a reader, or with the error to answer if it cannot be served.
using ReadTask = absl::AnyInvocable<void(core::Result<SessionReader*>)>;

// A task that runs `work` (Result<T>(SessionReader&)) and posts `done` with the result to
// `scheduler`.
template <typename T, typename Work>
ReadTask make_read(core::Scheduler& scheduler, SessionStore::Done<T> done, Work work) {
  return [&scheduler, done = std::move(done),
          work = std::move(work)](const core::Result<SessionReader*>& reader) mutable {
    core::Result<T> result = core::contain("event reader", [&]() -> core::Result<T> {
      if (!reader) return core::fail(reader.error());
      core::Result<T> read = work(**reader);
      // A connection to a database that broke is made again by the next call.
      const bool broke = !read && read.error().code == core::Code::unavailable;
      return broke ? work(**reader) : std::move(read);
    });
    core::reply(scheduler, std::move(done), std::move(result));
  };
}

// Reader threads, each with its own connection: a long read does not delay others while a thread is
// free. Reads begin in the order of push() and may end in another order.
class ReadThreads {
 public:
  // One thread for each reader.
  ReadThreads(std::vector<std::unique_ptr<SessionReader>> readers, std::size_t max_waiting);
  ~ReadThreads();
  ReadThreads(const ReadThreads&) = delete;
  ReadThreads& operator=(const ReadThreads&) = delete;

  // Any thread. Answers `resource_exhausted` if too many wait, `unavailable` after stop().
  void push(ReadTask task);
  // Serves the waiting reads, then ends the threads and closes the connections.
  void stop();

  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  void run(SessionReader& reader);

  std::vector<std::unique_ptr<SessionReader>> readers_;
  const std::size_t max_waiting_;
  std::atomic<std::uint64_t> count_{0};
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<ReadTask> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // declared last: use the other members
};

}  // namespace parley::event
