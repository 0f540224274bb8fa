// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/core/scheduler.h"

namespace parley::net {

// Callback for a file descriptor that is ready. Runs on the loop's thread.
class FdHandler {
 public:
  virtual ~FdHandler() = default;
  // `events`: EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP, EPOLLRDHUP as epoll_wait(2) gives them.
  virtual void on_ready(std::uint32_t events) = 0;
};

// Callback for the end of a turn: connections use it to write once per turn.
class TurnEndHandler {
 public:
  virtual ~TurnEndHandler() = default;
  virtual void on_turn_end() = 0;
};

// The event loop of one thread over epoll(7): file descriptors, timers, posted tasks. A turn runs
// everything that is ready, then every registered TurnEndHandler. Tasks that were posted meanwhile
// run in the next turn, which looks at descriptors and timers only if a few turns have not. An
// exception ends only the task or callback that threw it; it is logged and counted
// (core::contained_errors()). post(), stop() and the const members may be called on any thread,
// everything else on the thread that runs the loop (before run(): on the thread that made it); a
// call on another thread ends the process. Why not a library: docs/decisions/0001-event-loop.md.
class Loop final : public core::Scheduler {
 public:
  explicit Loop(const core::Clock& clock);
  ~Loop() override;

  // Runs turns until stop(). May be called once.
  void run();
  // Ends run() after the current turn. Any thread; safe in a signal handler.
  void stop();

  void post(core::Task task) override;
  core::TimerId after(core::Millis delay, core::Task task) override;
  void cancel(core::TimerId timer) override;
  bool in_thread() const override;
  // True on the loop's thread and, once run() has ended, on every thread: objects that outlive the
  // loop's thread cancel their timers and close their sockets from the thread that destroys them.
  bool owned_here() const;
  const core::Clock& clock() const override;

  // Watches a descriptor until remove(); `handler` must live until then. Level-triggered unless
  // `events` contains EPOLLET. False: the kernel refuses (no memory, or this user watches too many
  // descriptors).
  [[nodiscard]] bool add(int fd, std::uint32_t events, FdHandler& handler);
  // False: as add(); the descriptor is not watched any more.
  [[nodiscard]] bool modify(int fd, std::uint32_t events, FdHandler& handler);
  // No call reaches `handler` after this, not even from the same turn.
  void remove(int fd, FdHandler& handler);

  // Runs `handler` at the end of this turn. A handler must not register twice in a turn.
  void at_turn_end(TurnEndHandler& handler);
  // Unregisters `handler`; a no-op if it is not registered.
  void forget_turn_end(TurnEndHandler& handler);

  // The read buffer of all connections of this thread, so that an idle connection owns none. Has
  // kReadBytes bytes and Stream::kReadPadding more; its content is valid until the next event.
  char* read_buffer();
  static constexpr std::size_t kReadBytes = 128U << 10U;

  // A pool of buffers for the connections of this thread. take_spare() gives an empty string, with
  // capacity if a buffer was returned before. The pool keeps at most kSpares buffers of at most
  // kSpareBytes each.
  std::string take_spare();
  void return_spare(std::string buffer);
  static constexpr std::size_t kSpares = 1'024;
  static constexpr std::size_t kSpareBytes = 2U << 10U;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parley::net
