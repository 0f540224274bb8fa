// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/server_gauges.h"

#include "app/server/logging.h"
#include "base/core/contain.h"

namespace parley::app {

void add_shard_gauges(net::Metrics& metrics,
                      const std::vector<std::unique_ptr<ShardGauges>>& shards) {
  const auto sum = [&](std::string_view name, std::string_view help,
                       std::atomic<std::size_t> ShardGauges::*member) {
    metrics.gauge(name, help, [&shards, member] {
      std::size_t total = 0;
      for (const auto& shard : shards) total += ((*shard).*member).load();
      return static_cast<double>(total);
    });
  };
  sum("parley_sessions", "Sessions in memory", &ShardGauges::sessions);
  sum("parley_participants", "Connected participants", &ShardGauges::participants);
  sum("parley_interactions_pending", "Interactions that wait for an answer", &ShardGauges::pending);
}

void add_server_gauges(net::Metrics& metrics, const GaugeSources& from) {
  metrics.gauge("parley_contained_errors",
                "Exceptions since the start that ended one task and not the process",
                [] { return static_cast<double>(core::contained_errors()); });
  metrics.gauge("parley_store_queue_bytes", "Bytes that wait for their commit",
                [from] { return static_cast<double>(from.store.stats().queue_bytes); });
  metrics.gauge("parley_store_wal_pages", "Pages of the store's log that await a checkpoint",
                [from] { return static_cast<double>(from.store.stats().wal_pages); });
  metrics.gauge("parley_store_groups", "Group commits since the start",
                [from] { return static_cast<double>(from.store.stats().groups); });
  metrics.gauge("parley_store_units", "Units committed since the start",
                [from] { return static_cast<double>(from.store.stats().units); });
  metrics.gauge("parley_store_units_failed", "Units that were not stored since the start",
                [from] { return static_cast<double>(from.store.stats().units_failed); });
  metrics.gauge("parley_store_sweeps_failed", "Sweeps of retention that failed since the start",
                [from] { return static_cast<double>(from.store.stats().sweeps_failed); });
  metrics.gauge("parley_disk_free_bytes", "Free space on the disk of the data directory",
                [from] { return static_cast<double>(from.disk.free_bytes()); });
  metrics.gauge("parley_data_bytes", "Size of the data directory, as last measured",
                [from] { return static_cast<double>(from.disk.data_bytes()); });
  metrics.gauge("parley_work_refused", "New work refused since the start for lack of disk space",
                [from] { return static_cast<double>(from.gate.refused()); });
  metrics.gauge("parley_log_lines_dropped",
                "Lines of the log that were dropped since the start, because stderr was not read",
                [] { return static_cast<double>(log_state().dropped); });
  metrics.gauge(
      "parley_tls_seconds_left", "Time until the server's certificate ends; 0 without TLS", [from] {
        const auto end = from.tls.report().facts().expires_at;
        return end ? static_cast<double>(core::to_unix_s(*end) - core::to_unix_s(from.clock.wall()))
                   : 0.0;
      });
  metrics.gauge("parley_wrong_tokens", "Wrong tokens since the start",
                [from] { return static_cast<double>(from.tokens.wrong_tokens()); });
  metrics.gauge("parley_wrong_passwords", "Wrong passwords since the start",
                [from] { return static_cast<double>(from.accounts.wrong_passwords()); });
  metrics.gauge("parley_logins", "Logins of users since the start",
                [from] { return static_cast<double>(from.accounts.logins()); });
  metrics.gauge("parley_accept_pauses",
                "Pauses of accepting connections, for lack of file descriptors",
                [from] { return static_cast<double>(from.tcp.accept_pauses()); });
}

}  // namespace parley::app
