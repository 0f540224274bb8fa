// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "base/core/scheduler.h"
#include "base/http_client/fetcher.h"
#include "base/http_client/http_client.h"

namespace parley::http_client {

class CurlExchanges;

// The event loop of a client program: timers, tasks, HTTP exchanges (libcurl's multi interface)
// and a few watched descriptors, all on one thread.
class CurlLoop final : public core::Scheduler, public HttpClient {
 public:
  explicit CurlLoop(const core::Clock& clock);
  ~CurlLoop() override;

  // core::Scheduler
  void post(core::Task task) override;
  core::TimerId after(core::Millis delay, core::Task task) override;
  void cancel(core::TimerId timer) override;
  bool in_thread() const override { return std::this_thread::get_id() == thread_; }
  const core::Clock& clock() const override { return clock_; }

  // HttpClient. A loopback address is reached directly, whatever proxy is set.
  TransferId post_to(HttpPost request, Done done) override;
  void abort(TransferId transfer) override;
  // The same for any method; the answer is collected as that of a POST.
  TransferId fetch(FetchRequest request, Done done);

  // Calls `ready` whenever `fd` has one of `events` (poll's) or is broken. The caller keeps
  // ownership of the descriptor and must unwatch it before closing it. Watching it again replaces
  // the events.
  using Ready = absl::AnyInvocable<void(short revents)>;
  void watch(int fd, short events, Ready ready);
  void rearm(int fd, short events);
  void unwatch(int fd);

  // Runs one turn: waits at most `longest` for work, then does it. No handler runs before the wait,
  // so that the caller sees the effects of handlers before the next wait.
  void run_once(core::Millis longest);

  static constexpr core::Millis kConnectTimeout = std::chrono::seconds(5);

 private:
  class Transfer;
  struct Watch {
    short events = 0;
    std::shared_ptr<Ready> ready;
  };

  core::Millis wait_time(core::Millis longest);
  void poll_watched();
  void run_timers();
  void run_tasks();

  const core::Clock& clock_;
  const std::thread::id thread_;
  std::unique_ptr<CurlExchanges> exchanges_;
  std::mutex mutex_;  // guards tasks_
  std::deque<core::Task> tasks_;
  std::map<std::pair<core::MonoTime, core::TimerId>, core::Task> timers_;
  core::TimerId last_timer_ = 0;
  std::map<TransferId, std::shared_ptr<Transfer>> transfers_;
  TransferId last_transfer_ = 0;
  std::map<int, Watch> watches_;
};

}  // namespace parley::http_client
