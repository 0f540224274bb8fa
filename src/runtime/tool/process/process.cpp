// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/process/process.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

#include "base/core/contain.h"
#include "runtime/tool/process/process_child.h"

namespace parley::tool {
namespace {

core::MonoTime mono_now() { return std::chrono::steady_clock::now(); }

}  // namespace

struct ProcessRunner::Order {
  enum class Kind : std::uint8_t { start, write, close_input, stop, end };
  Kind kind = Kind::end;
  ProcessId process = 0;
  ProcessSpec spec = {};
  ProcessEvents events = {};
  std::string bytes = {};
  core::Millis grace{};
};

struct ProcessRunner::Running {
  std::unique_ptr<ProcessChild> child;
  ProcessEvents events;
};

ProcessRunner::ProcessRunner() : wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // Signals are handled by other threads; a broken pipe is an error of write().
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { watch(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProcessRunner::~ProcessRunner() {
  enqueue({.kind = Order::Kind::end});
  thread_.join();
  ::close(wake_fd_);
}

ProcessId ProcessRunner::start(ProcessSpec spec, ProcessEvents events) {
  ProcessId id = 0;
  {
    const std::scoped_lock lock(mutex_);
    id = ++last_id_;
    ++running_count_;
  }
  enqueue({.kind = Order::Kind::start,
           .process = id,
           .spec = std::move(spec),
           .events = std::move(events)});
  return id;
}

void ProcessRunner::write(ProcessId process, std::string bytes) {
  enqueue({.kind = Order::Kind::write, .process = process, .bytes = std::move(bytes)});
}

void ProcessRunner::close_input(ProcessId process) {
  enqueue({.kind = Order::Kind::close_input, .process = process});
}

void ProcessRunner::stop(ProcessId process, core::Millis grace) {
  enqueue({.kind = Order::Kind::stop, .process = process, .grace = grace});
}

std::size_t ProcessRunner::running() const {
  const std::scoped_lock lock(mutex_);
  return running_count_;
}

void ProcessRunner::enqueue(Order order) {
  {
    const std::scoped_lock lock(mutex_);
    orders_.push_back(std::move(order));
  }
  const std::uint64_t one = 1;
  // Cannot fail: the counter would have to reach 2^64.
  (void)!::write(wake_fd_, &one, sizeof(one));
}

void ProcessRunner::watch() {
  while (take_orders())
    static_cast<void>(core::contain("process watcher", [this] { wait_and_serve(); }));
  // Shutdown: all processes are killed, and every on_end is called.
  while (!running_.empty()) {
    const std::unique_ptr<Running> last = std::move(running_.begin()->second);
    running_.erase(running_.begin());
    last->child.reset();
    ProcessEnd end;
    end.signal = SIGKILL;
    if (last->events.on_end) last->events.on_end(std::move(end));
  }
}

// False once shutdown was ordered.
bool ProcessRunner::take_orders() {
  std::vector<Order> orders;
  {
    const std::scoped_lock lock(mutex_);
    orders.swap(orders_);
  }
  bool resume = true;
  for (Order& order : orders) {
    if (order.kind == Order::Kind::end) {
      resume = false;
      continue;
    }
    const core::Result<void> obeyed =
        core::contain("process watcher", [this, &order] { apply(order); });
    if (!obeyed && order.kind == Order::Kind::start) not_started(order, obeyed.error().message);
  }
  return resume;
}

void ProcessRunner::not_started(Order& order, std::string why) {
  {
    const std::scoped_lock lock(mutex_);
    --running_count_;
  }
  ProcessEnd end;
  end.failure = std::move(why);
  if (order.events.on_end) order.events.on_end(std::move(end));
}

void ProcessRunner::apply(Order& order) {
  if (order.kind == Order::Kind::start) {
    auto child = ProcessChild::start(order.spec, guard_);
    if (child) {
      auto running = std::make_unique<Running>();
      running->child = std::move(*child);
      running->events = std::move(order.events);
      running_.emplace(order.process, std::move(running));
      return;
    }
    not_started(order, child.error().message);
    return;
  }
  const auto found = running_.find(order.process);
  if (found == running_.end()) return;
  ProcessChild& child = *found->second->child;
  if (order.kind == Order::Kind::write) child.write(std::move(order.bytes), mono_now());
  if (order.kind == Order::Kind::close_input) child.close_input();
  if (order.kind == Order::Kind::stop) child.stop(mono_now(), order.grace);
}

void ProcessRunner::wait_and_serve() {
  std::vector<pollfd> polled = {{wake_fd_, POLLIN, 0}};
  std::optional<core::MonoTime> first;
  for (const auto& [id, running] : running_) {
    running->child->add_to(polled);
    const auto step = running->child->next_step();
    if (step && (!first || *step < *first)) first = step;
  }
  int wait_ms = -1;
  if (first) {
    const auto left = std::chrono::ceil<core::Millis>(*first - mono_now());
    wait_ms = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
  }
  if (::poll(polled.data(), polled.size(), wait_ms) < 0 && errno != EINTR) return;
  std::uint64_t count = 0;
  if (polled[0].revents != 0) (void)!::read(wake_fd_, &count, sizeof(count));
  const core::MonoTime now = mono_now();
  std::vector<ProcessId> ended;
  for (const auto& [id, running] : running_) {
    if (running->child->serve(now, running->events.on_output)) ended.push_back(id);
  }
  for (const ProcessId id : ended) finish(id);
}

void ProcessRunner::finish(ProcessId process) {
  const std::unique_ptr<Running> running = std::move(running_.extract(process).mapped());
  {
    const std::scoped_lock lock(mutex_);
    --running_count_;
  }
  if (running->events.on_end) running->events.on_end(running->child->end());
}

}  // namespace parley::tool
