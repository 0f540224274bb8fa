// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"

namespace parley::net {

class AssemblyBudget;
class Stream;

// Immutable bytes that connections may share: of a text that the last of them frees, or of the
// program itself.
class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(std::shared_ptr<const std::string> text)  // NOLINT(google-explicit-constructor)
      : bytes_(text ? std::string_view(*text) : std::string_view()), owner_(std::move(text)) {}
  // Bytes that live as long as the program.
  static SharedBytes of_program(std::string_view bytes) {
    SharedBytes shared;
    shared.bytes_ = bytes;
    return shared;
  }

  std::string_view view() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  // True if the bytes take no memory but that of the program.
  bool is_of_program() const { return owner_ == nullptr; }

 private:
  std::string_view bytes_;
  std::shared_ptr<const std::string> owner_;
};

// Callbacks of a Stream. They run on the stream's scheduler, never from inside a call into the
// stream (move_to() has rules of its own).
class StreamHandler {
 public:
  virtual ~StreamHandler() = default;
  // Bytes arrived. `data` is valid during the call, may be changed in place (unmasking), and has
  // kReadPadding readable bytes behind its end. All of it counts as consumed. The handler may
  // destroy the stream; the caller touches neither afterwards.
  virtual void on_data(Stream& stream, char* data, std::size_t size) = 0;
  // The peer has closed its direction; writing is still possible. The default does nothing.
  virtual void on_end(Stream& stream) { (void)stream; }
  // The write queue fell to the low watermark after it had passed the high one.
  virtual void on_drained(Stream& stream) { (void)stream; }
  // The connection is gone (reset, closed, timed out). This is the last callback; the handler
  // destroys the stream now or later.
  virtual void on_closed(Stream& stream) = 0;
};

// A two-way byte stream: TCP, TLS over TCP, or a pipe in memory. Belongs to one thread. Destroying
// it closes it at once.
class Stream {
 public:
  // simdjson reads this much past the end of its input.
  static constexpr std::size_t kReadPadding = 64;
  // Watermarks of the write queue, for on_drained().
  // Limit (Streams, bytes): high watermark of a write queue: answers that a client has not taken;
  // queued pongs. Reached: no further request is read; then only the latest ping is answered.
  static constexpr std::size_t kHighWatermark = 256U << 10U;
  // Limit (Streams, bytes): low watermark of a write queue. Reached: reading goes on.
  static constexpr std::size_t kLowWatermark = 64U << 10U;
  // The longest wait after finish() for the peer to close, and between two bytes that it takes.
  // Limit (Streams): wait after the last byte was sent. Reached: the connection is dropped.
  static constexpr core::Millis kLingerTime{5'000};

  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  // Sets the receiver of callbacks. The handler must outlive the stream or be replaced before it is
  // destroyed.
  virtual void set_handler(StreamHandler* handler) = 0;
  // Queues bytes. Those of a turn of the loop are sent together at its end, many of them earlier.
  virtual void write(std::string_view bytes) = 0;
  // Queues shared bytes without copying them when that is cheaper.
  virtual void write_shared(const SharedBytes& bytes) = 0;
  // Queues bytes of this connection alone, without copying them when that is cheaper.
  virtual void write_own(std::string bytes) { write(bytes); }
  // Number of queued bytes that the kernel has not taken yet.
  virtual std::size_t queued() const = 0;
  // Sends the queued bytes, then closes this direction and, once the peer has closed too or after
  // kLingerTime, the connection. on_closed follows. Bytes that arrive meanwhile are delivered.
  virtual void finish() = 0;
  // Pauses or resumes reading, for back-pressure on the peer.
  virtual void pause_reading(bool pause) = 0;
  // Moves the stream, with all queued bytes, to another scheduler of the same Network. From now on
  // the stream belongs to `target`'s thread, where `arrived` runs, always through target.post();
  // nothing is read before that. Call only as the last act of a handler's call.
  virtual void move_to(core::Scheduler& target, absl::AnyInvocable<void()> arrived) = 0;
  virtual core::Scheduler& scheduler() = 0;
  // Address of the peer without its port, for limits and logs: "127.0.0.1", "::1", "memory".
  virtual const std::string& peer() const = 0;
  // Replaces the address of the peer by that of the client for which it speaks, named by a trusted
  // proxy. Call before count_to().
  virtual void set_peer(std::string address) = 0;
  virtual bool secure() const = 0;

  // From now on the memory that the connection holds for its peer counts to `account` of `budget`,
  // which outlives the stream; an empty account: to the unknown senders at peer(). Counted are the
  // bytes that the peer has not taken when they are sent (shared ones only of unknown
  // senders, those of the program never), and hold(). A connection that exceeds a limit of the
  // budget is ended (on_closed()). A stream of which this is never called counts nothing.
  virtual void count_to(AssemblyBudget& budget, std::string_view account) = 0;
  // Sets the number of bytes that a layer above the stream holds for the connection. False: that
  // exceeds a limit, and the connection is ended.
  virtual bool hold(std::size_t bytes) = 0;
};

// Takes a connection over from the protocol that has read from it. `unread`: the bytes that were
// read and belong to the new owner. Runs on the stream's thread; the stream has no handler and is
// paused.
using TakeOver = absl::AnyInvocable<void(std::unique_ptr<Stream> stream, std::string_view unread)>;

// An address to listen on or to connect to. Port 0 picks a free port.
struct Endpoint {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;

  // "127.0.0.1:22080", "[::1]:80", ":22080" (loopback), "0.0.0.0:0". Errors: `invalid_argument`.
  static core::Result<Endpoint> parse(std::string_view text);
  std::string to_string() const;
  bool is_loopback() const;
};

// Receives each accepted stream, on the scheduler of its Listener.
using AcceptHandler = std::function<void(std::unique_ptr<Stream>)>;

// Listens until destroyed.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual Endpoint endpoint() const = 0;  // with the real port
};

// The network, injected: server/ makes the real one, tests use MemoryNetwork, which needs no ports.
class Network {
 public:
  virtual ~Network() = default;
  // Errors: `failed_precondition` (address in use), `invalid_argument`, `permission_denied`.
  virtual core::Result<std::unique_ptr<Listener>> listen(core::Scheduler& scheduler,
                                                         const Endpoint& at,
                                                         AcceptHandler accept) = 0;
  // Connects; `done` runs on `scheduler`. Errors: `unavailable`.
  virtual void connect(core::Scheduler& scheduler, const Endpoint& to,
                       absl::AnyInvocable<void(core::Result<std::unique_ptr<Stream>>)> done) = 0;
};

}  // namespace parley::net
