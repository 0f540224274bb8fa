// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "base/net/loop/loop.h"
#include "base/net/loop/stream.h"

namespace parley::net {

// The same address with a numeric host. Blocks while a host name is resolved. Errors:
// `invalid_argument`.
core::Result<Endpoint> resolved(const Endpoint& at);

// TCP of the operating system. Every scheduler given to it must be a Loop that outlives its streams
// and listeners. listen() may be called on any thread and blocks while a host name is resolved.
// Several listeners of one SystemNetwork may share a port, and the kernel spreads the connections
// over them; a port on which another program listens is refused. When the process is out of
// descriptors, accepting pauses for 100 ms and is then resumed.
class SystemNetwork final : public Network {
 public:
  // accept4(2), or a test's replacement.
  using AcceptCall = std::function<int(int, sockaddr*, socklen_t*, int)>;

  SystemNetwork();
  explicit SystemNetwork(AcceptCall accept);
  ~SystemNetwork() override;

  core::Result<std::unique_ptr<Listener>> listen(core::Scheduler& scheduler, const Endpoint& at,
                                                 AcceptHandler accept) override;
  // Fails after kConnectTimeout. Blocks while a host name is resolved.
  void connect(core::Scheduler& scheduler, const Endpoint& to,
               absl::AnyInvocable<void(core::Result<std::unique_ptr<Stream>>)> done) override;

  // The number of pauses in accepting caused by a lack of descriptors or memory. Any thread.
  std::uint64_t accept_pauses() const;

  static constexpr core::Millis kConnectTimeout{10'000};

  class Ports;

 private:
  std::shared_ptr<Ports> ports_;
};

}  // namespace parley::net
