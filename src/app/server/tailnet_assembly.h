// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/core/worker.h"
#include "base/net/loop/tls.h"
#include "base/net/server/server.h"
#include "services/tailnet/tailnet_status.h"
#include "services/tailnet/tailscale_program.h"

namespace parley::app {

// The server's second way in: the addresses of this computer in its tailnet, with TLS by the
// certificate that Tailscale gets for its name. Loopback, or whatever `listen` says, is unchanged.
class TailnetAssembly {
 public:
  // Time between two calls of `tailscale cert`, which renews its certificate itself when it is due.
  // Limit (The tailnet): time between two renewals of the certificate.
  static constexpr core::Millis kRenewInterval{6 * 3'600'000};

  // Called with the origin when the server listens, on the thread that listens.
  using OnOpen = std::function<void(const std::string& origin)>;

  // All references outlive this object.
  TailnetAssembly(const std::string& data_dir, const core::Clock& clock, net::Network& plain,
                  tailnet::TailscaleProgram program, OnOpen on_open);
  ~TailnetAssembly();  // stop()

  // Asks Tailscale for the name, the addresses and the certificate. Call once, before listen(). May
  // wait for the time limits of the program, and for the disk.
  tailnet::Found<void> find();
  // Listens on each address of the tailnet, on the port of `taken`, where the server listens
  // already. A fault if that is possible on none, or if `taken` is one of them: connections would
  // be dealt to both. Then the certificate is renewed on a thread of its own until stop().
  tailnet::Found<void> listen(net::Server& server, const std::vector<core::Scheduler*>& schedulers,
                              const net::Endpoint& taken);
  // Renews the certificate soon, on that thread, if the server listens. Any thread.
  void renew_soon();
  // find() and listen() on that thread, for a server that runs; `done` is called there. Does
  // nothing if the server listens already. Errors: `failed_precondition` (the sentences of a
  // fault), `resource_exhausted` (a call is under way). Any thread; `server` outlives stop().
  void open(net::Server& server, std::vector<core::Scheduler*> schedulers,
            const net::Endpoint& taken, std::function<void(core::Result<void>)> done);
  // Ends a call of the program that is under way soon, and each later one. Any thread.
  void cancel() { program_.cancel(); }
  // cancel(), and waits for the end of the thread. Not while open() may be called.
  void stop();

 private:
  tailnet::Found<bool> fetch();
  tailnet::Found<void> find_and_listen(net::Server& server,
                                       const std::vector<core::Scheduler*>& schedulers,
                                       const net::Endpoint& taken);
  core::Worker& worker();
  void renew();
  void arm();

  const std::string data_dir_;
  const core::Clock& clock_;
  net::Network& plain_;
  tailnet::TailscaleProgram program_;
  tailnet::TailnetSelf self_;
  std::string origin_;  // "https://desk.tail1234.ts.net:22080"; empty: it does not listen
  std::shared_ptr<net::TlsContext> context_;
  std::vector<std::unique_ptr<net::TlsNetwork>> networks_;  // one for each address
  const OnOpen on_open_;
  std::atomic<bool> opening_{false};
  std::mutex mutex_;                      // guards the next member until stop()
  std::unique_ptr<core::Worker> worker_;  // null: not needed yet
};

}  // namespace parley::app
