// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/core/entropy.h"
#include "base/net/loop/stream.h"

namespace parley::net {

struct MemoryNetworkOptions {
  // Bytes are delivered in random pieces of 1 to `max_piece` bytes; 0: as written.
  std::size_t max_piece = 0;
  std::uint64_t seed = 1;
  // Capacity of the pipe to a reader that does not read; further bytes stay in the writer's queue.
  std::size_t pipe_bytes = 256U << 10U;
  std::string peer = "memory";  // Stream::peer() of both ends
};

// A network of pipes in this process, for tests and simulations: hosts are ignored, a port is a
// name. Runs on any schedulers that share one thread (FakeScheduler), and takes no time. The same
// calls with the same seed give the same pieces. Outlives its streams and listeners.
class MemoryNetwork final : public Network {
 public:
  explicit MemoryNetwork(MemoryNetworkOptions options = {});
  ~MemoryNetwork() override;

  // Several listeners on one port accept in turn.
  core::Result<std::unique_ptr<Listener>> listen(core::Scheduler& scheduler, const Endpoint& at,
                                                 AcceptHandler accept) override;
  void connect(core::Scheduler& scheduler, const Endpoint& to,
               absl::AnyInvocable<void(core::Result<std::unique_ptr<Stream>>)> done) override;

  // Two ends of one pipe, without listening.
  struct Pair {
    std::unique_ptr<Stream> first;
    std::unique_ptr<Stream> second;
  };
  Pair make_pair(core::Scheduler& first, core::Scheduler& second);

  // Cuts every open connection, like a lost network after its time-out: both ends get on_closed(),
  // bytes in transit are lost.
  void cut_all();

  struct Shared;

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace parley::net
