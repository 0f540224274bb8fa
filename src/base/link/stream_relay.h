// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/net/loop/stream.h"

namespace parley::link {

// A peer that reads nothing stops the reading from the other side, where its limits for slow peers
// are: this one lies above them.
// Limit (Cluster): time without a byte that a peer of a forwarded connection takes while its queue
// is full. Reached: the connection is cut.
inline constexpr core::Millis kRelayStall{120'000};
// Limit (Cluster, bytes): head of the home's answer to a forwarded WebSocket. Reached: the
// connection is cut.
inline constexpr std::size_t kMaxDroppedHeadBytes = 16U << 10U;

// The end of a relay.
enum class RelayEnd : std::uint8_t {
  finished,     // both sides have ended, or one has, and the other was cut after kLingerTime
  client_lost,  // the client's connection was reset or lost before either had ended
  home_lost,    // the same for the home's
  stalled,      // kRelayStall
  bad_head,     // the head of the home's answer is too long, missing, or was refused
};

struct RelayOutcome {
  RelayEnd end = RelayEnd::finished;
  std::uint64_t to_home = 0;    // bytes
  std::uint64_t to_client = 0;  // bytes, without the dropped head
  std::string reason = {};      // of bad_head: a sentence
};

// Passes bytes between the connections of a client and of its home, both of one scheduler, until
// both have ended. Belongs to that scheduler's thread.
//
// Back-pressure: reading from a side is paused while more than Stream::kHighWatermark bytes are
// queued for the other, until on_drained(). So a direction holds at most the high watermark and the
// bytes of one read.
//
// Half-close: the end of one side finishes the other side's stream, whose direction back goes on as
// long as Stream::finish() allows: until that side ends, or kLingerTime has passed since it took
// the last byte. An answer that is not complete kLingerTime after its client has closed its sending
// direction is therefore cut, unlike one without a relay. The alternative, to keep the end from the
// home until it has answered, would let a client that is gone take part in its session.
//
// Loss: a side that is lost before either has ended ends the other at once, and the bytes that are
// queued for it are dropped. Later, the other still gets what is queued for it.
//
// A relay has 144 bytes without its streams, and no timer while no queue is full.
class StreamRelay final : private net::StreamHandler {
 public:
  // Runs once, as the last act of the relay, which it may destroy. Both streams are destroyed
  // before.
  using Done = absl::AnyInvocable<void(const RelayOutcome& outcome)>;
  // Checks the head of the home's answer, up to and with its empty line. An error ends the relay.
  using CheckHead = absl::AnyInvocable<core::Result<void>(std::string_view head)>;

  // Replaces the handlers of the streams and resumes reading from both. With `check`, the first
  // bytes of the home through the first empty line are dropped: it is the answer to an upgrade that
  // the client has already got.
  StreamRelay(std::unique_ptr<net::Stream> client, std::unique_ptr<net::Stream> home, Done done,
              CheckHead check = nullptr);
  // Cuts both connections; `done` is destroyed without running.
  ~StreamRelay() override;
  StreamRelay(const StreamRelay&) = delete;
  StreamRelay& operator=(const StreamRelay&) = delete;

  std::uint64_t to_home() const { return home().received; }
  std::uint64_t to_client() const { return client().received; }

 private:
  struct Side {
    std::unique_ptr<net::Stream> stream;
    std::uint64_t received = 0;  // bytes of the other side that were written to this one
    std::uint64_t mark = 0;      // progress() when the timer of the other side was set
    core::TimerId timer = 0;     // runs while nothing is read from this side
    bool ended = false;          // it sends nothing more
    bool finished = false;       // finish() was called
    bool closed = false;         // on_closed() was called
    bool paused = false;         // nothing is read from it: the queue of the other is full

    // Changes with each byte that the peer takes while nothing is written to it.
    std::uint64_t progress() const { return received - stream->queued(); }
  };
  // The head of the home's answer, while it is not complete.
  struct Head {
    std::string bytes;
    CheckHead check;
  };

  void on_data(net::Stream& stream, char* data, std::size_t size) override;
  void on_end(net::Stream& stream) override;
  void on_drained(net::Stream& stream) override;
  void on_closed(net::Stream& stream) override;

  const Side& client() const { return sides_[0]; }
  const Side& home() const { return sides_[1]; }
  Side& side_of(const net::Stream& stream);
  Side& other_of(const Side& side);
  bool take_head(std::string_view& bytes);
  void finish(Side& side);
  void pause(Side& from);
  void resume(Side& from);
  void watch_stall(Side& from);
  void end(RelayEnd how, std::string reason = {});

  std::array<Side, 2> sides_;  // client, home
  Done done_;
  std::unique_ptr<Head> head_;  // null once it is dropped
};

}  // namespace parley::link
