// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/net/loop/assembly_budget.h"
#include "base/net/loop/loop.h"
#include "base/net/loop/stream.h"

namespace parley::net {

// The send queue of one socket. Small writes are copied into one buffer; large shared bytes are
// referenced.
class WriteQueue {
 public:
  // `buffer`: an empty string, whose capacity the first small writes use.
  explicit WriteQueue(std::string buffer) : head_(std::move(buffer)) {}

  // Each of these appends all bytes, or none if it throws.
  void append(std::string_view bytes);
  void append_shared(const SharedBytes& bytes);
  void append_own(std::string bytes);
  std::size_t bytes() const { return bytes_; }
  // Memory that the queue holds, until the last byte in it is sent: its own, and that of shared
  // bytes, which other connections may hold as well. The bytes of the program are in neither.
  std::size_t own_memory() const;
  std::size_t shared_memory() const { return shared_; }
  // Sends from the front with one send(2) or sendmsg(2) and returns its result.
  std::ptrdiff_t send_some(int fd);
  // Moves the first buffer out, for reuse. Call only when everything is sent; the queue must not be
  // used afterwards.
  std::string take_buffer();

 private:
  struct Chunk {
    std::string own;
    SharedBytes shared;  // used if not empty
    std::string_view view() const { return shared.empty() ? own : shared.view(); }
  };

  std::string* gathering(std::size_t more);
  void push(Chunk chunk);
  void pop();
  void consume(std::size_t count);

  bool taken_ = false;  // take_buffer() was called
  // `head_` holds small writes, enough for most turns; `rest_` holds large bytes and all bytes
  // behind them.
  std::string head_;
  std::size_t head_sent_ = 0;
  std::vector<Chunk> rest_;
  std::size_t first_ = 0;   // index of the first chunk of rest_ that is not completely sent
  std::size_t offset_ = 0;  // sent bytes of that chunk
  std::size_t bytes_ = 0;
  std::size_t own_ = 0;     // capacity of the own chunks of rest_
  std::size_t shared_ = 0;  // size of the shared chunks of rest_ that are not the program's
};

// A connected, non-blocking TCP socket on a Loop. Owns no heap memory while its send queue is
// empty.
class TcpStream final : public Stream, private FdHandler, private TurnEndHandler {
 public:
  // Takes ownership of `fd`.
  TcpStream(Loop& loop, int fd, std::string peer);
  ~TcpStream() override;

  void set_handler(StreamHandler* handler) override;
  void write(std::string_view bytes) override;
  void write_shared(const SharedBytes& bytes) override;
  void write_own(std::string bytes) override;
  std::size_t queued() const override { return queue_ ? queue_->bytes() : 0; }
  void finish() override;
  void pause_reading(bool pause) override;
  void move_to(core::Scheduler& target, absl::AnyInvocable<void()> arrived) override;
  core::Scheduler& scheduler() override { return *loop_; }
  const std::string& peer() const override { return peer_; }
  void set_peer(std::string address) override { peer_ = std::move(address); }
  bool secure() const override { return false; }
  void count_to(AssemblyBudget& budget, std::string_view account) override;
  bool hold(std::size_t bytes) override;

 private:
  // Shared with the task that attaches the stream to the target loop; `stream` is null if the
  // stream was destroyed during the move.
  struct Transit {
    TcpStream* stream = nullptr;
  };
  // State that exists from finish() on.
  struct Linger {
    core::TimerId timer = 0;
    std::size_t queued = 0;  // queued bytes when the timer was set
  };
  enum class Flush : std::uint8_t { ok, failed };

  void on_ready(std::uint32_t events) override;
  void on_turn_end() override;
  void read_once();
  Flush flush();
  bool count_unsent();
  void end_soon();
  void drop();
  bool accepts_writes(std::size_t bytes) const;
  void written();
  // True if the connection has ended; then `this` may be destroyed.
  bool end_if_finished();
  bool notify_drained();
  void lost();
  void detach();
  void want_turn_end();
  WriteQueue& queue();
  void watch();
  std::uint32_t wanted_events() const;
  void set_linger_timer();
  void land(absl::AnyInvocable<void()> arrived);
  // "stream to 127.0.0.1 (descriptor 7)", for assertions.
  std::string label() const;

  Loop* loop_;
  StreamHandler* handler_ = nullptr;
  std::unique_ptr<WriteQueue> queue_;  // null while nothing is queued
  std::unique_ptr<Linger> linger_;     // from finish() on
  std::shared_ptr<Transit> transit_;   // while it moves
  std::string peer_;
  HeldMemory memory_;
  int fd_;
  std::uint32_t watched_ = 0;  // the events registered with epoll
  bool turn_end_asked_ = false;
  bool paused_ = false;
  bool peer_ended_ = false;
  bool shut_ = false;  // the sending direction is closed
  bool above_high_ = false;
  bool full_ = false;    // the socket has not taken all that was sent to it
  bool ending_ = false;  // on_closed() is called at the end of the turn
  bool lost_ = false;
};

}  // namespace parley::net
