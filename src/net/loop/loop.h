// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/scheduler.h"

namespace parley::net {

// Told when its file descriptor is ready. Called on the loop's thread.
class FdHandler {
 public:
  virtual ~FdHandler() = default;
  // `events`: EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP, EPOLLRDHUP as epoll_wait(2) gives them.
  virtual void on_ready(std::uint32_t events) = 0;
};

// Told at the end of the turn in which it asked for it: how a connection writes once per turn.
class TurnEndHandler {
 public:
  virtual ~TurnEndHandler() = default;
  virtual void on_turn_end() = 0;
};

// The event loop of one thread over epoll(7): file descriptors, timers, posted tasks. A turn takes
// all that is ready, runs it, then runs every TurnEndHandler that was asked for. An exception ends
// what threw it, and nothing else: it is logged and counted (core::contained_errors()). Everything
// but post() and stop() belongs to the thread that runs it (before run(): to the thread that made
// it). Why not a library: docs/decisions/0001-event-loop.md.
class Loop final : public core::Scheduler {
 public:
  explicit Loop(const core::Clock& clock);
  ~Loop() override;

  // Runs until stop(). Once.
  void run();
  // Ends run() after the current turn. Any thread, also a signal's.
  void stop();

  void post(core::Task task) override;
  core::TimerId after(core::Millis delay, core::Task task) override;
  void cancel(core::TimerId timer) override;
  bool in_thread() const override;
  // True on the loop's thread and, once run() has ended, on every thread: objects that outlive the
  // loop's thread cancel their timers and close their sockets from the thread that destroys them.
  bool owned_here() const;
  const core::Clock& clock() const override;

  // Watches a descriptor; `handler` stays until remove(). Level-triggered unless `events` says
  // EPOLLET. False: the kernel refuses (no memory, or this user watches too many descriptors).
  [[nodiscard]] bool add(int fd, std::uint32_t events, FdHandler& handler);
  // False: as add(); the descriptor is not watched any more.
  [[nodiscard]] bool modify(int fd, std::uint32_t events, FdHandler& handler);
  // No call reaches `handler` after this, not even from the same turn.
  void remove(int fd, FdHandler& handler);

  // Runs `handler` at the end of this turn. Asking twice in a turn is the caller's bug.
  void at_turn_end(TurnEndHandler& handler);
  // Takes back at_turn_end().
  void forget_turn_end(TurnEndHandler& handler);

  // What all connections of this thread read into, so that an idle one owns no buffer: kReadBytes
  // and Stream::kReadPadding more. Valid until the next event.
  char* read_buffer();
  static constexpr std::size_t kReadBytes = 128U << 10U;

  // Buffers that go from hand to hand between the connections of this thread: an empty string,
  // with room if one was given back. At most kSpares of at most kSpareBytes are kept.
  std::string take_spare();
  void return_spare(std::string buffer);
  static constexpr std::size_t kSpares = 1'024;
  static constexpr std::size_t kSpareBytes = 2U << 10U;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace parley::net
