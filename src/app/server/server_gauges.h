// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "app/server/tls_assembly.h"
#include "base/core/clock.h"
#include "base/core/work_gate.h"
#include "base/net/http/metrics.h"
#include "base/net/loop/tcp.h"
#include "identity/accounts/account_service.h"
#include "identity/auth/token_store.h"
#include "model/event/disk_watch.h"
#include "model/event/threaded_session_store.h"

namespace parley::app {

// Values of the gauges of one shard; written on its thread.
struct ShardGauges {
  std::atomic<std::size_t> sessions{0};
  std::atomic<std::size_t> participants{0};
  std::atomic<std::size_t> pending{0};
};

// The sums over the shards. `shards` outlives the metrics.
void add_shard_gauges(net::Metrics& metrics,
                      const std::vector<std::unique_ptr<ShardGauges>>& shards);

// The sources of a server's gauges; all outlive the metrics.
struct GaugeSources {
  const event::ThreadedSessionStore& store;
  const event::DiskWatch& disk;
  const core::WorkGate& gate;
  TlsAssembly& tls;
  const auth::TokenStore& tokens;
  const accounts::AccountService& accounts;
  const net::SystemNetwork& tcp;
  const core::Clock& clock;
};

// The gauges of the store, the disk, the log, the certificate, and of wrong tokens and passwords.
void add_server_gauges(net::Metrics& metrics, const GaugeSources& from);

}  // namespace parley::app
