// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "net/loop/loop.h"
#include "net/loop/stream.h"

namespace parley::net {

// TCP of this computer. Every scheduler given to it must be a Loop that outlives its streams and
// listeners. listen() may be called on any thread and resolves host names while the caller waits;
// several listeners of one SystemNetwork may share a port, and the kernel spreads the connections
// over them; a port that anybody else listens on is refused. When the process is out of
// descriptors, accepting pauses for a moment and then goes on.
class SystemNetwork final : public Network {
 public:
  // accept4(2), or a stand-in of a test.
  using AcceptCall = std::function<int(int, sockaddr*, socklen_t*, int)>;

  SystemNetwork();
  explicit SystemNetwork(AcceptCall accept);
  ~SystemNetwork() override;

  core::Result<std::unique_ptr<Listener>> listen(core::Scheduler& scheduler, const Endpoint& at,
                                                 AcceptHandler accept) override;
  // Gives up after kConnectTimeout. A host name is resolved while the caller waits.
  void connect(core::Scheduler& scheduler, const Endpoint& to,
               absl::AnyInvocable<void(core::Result<std::unique_ptr<Stream>>)> done) override;

  // Times that accepting paused, because the process or the system was short of descriptors or of
  // memory. Any thread.
  std::uint64_t accept_pauses() const;

  static constexpr core::Millis kConnectTimeout{10'000};

  class Ports;

 private:
  std::shared_ptr<Ports> ports_;
};

}  // namespace parley::net
