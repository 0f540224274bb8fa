// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/cluster_gauges.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace parley::app {
namespace {

using placement::Slot;

std::size_t served(const ClusterFacts& of) {
  const core::MonoTime now = of.clock.mono();
  std::size_t count = 0;
  for (std::size_t slot = 0; slot < placement::kSlots; ++slot) {
    if (of.homes.serves(static_cast<Slot>(slot), now)) ++count;
  }
  return count;
}

std::size_t moving(const ClusterFacts& of) {
  const std::vector<placement::NodeId> live = of.view.live_homes();
  const core::MonoTime now = of.clock.mono();
  std::size_t count = 0;
  for (std::size_t slot = 0; slot < placement::kSlots; ++slot) {
    const placement::NodeId home = live.empty() ? placement::kNobody : live[slot];
    const bool is_elsewhere = home != placement::kNobody && home != of.number.load();
    if (!is_elsewhere && !of.homes.serves(static_cast<Slot>(slot), now)) ++count;
  }
  return count;
}

}  // namespace

void add_cluster_gauges(net::Metrics& metrics, const ClusterFacts& of) {
  const auto gauge = [&metrics](std::string_view name, std::string_view help, auto read) {
    metrics.gauge(name, help, [read] { return static_cast<double>(read()); });
  };
  gauge("parley_cluster_nodes", "Live nodes of the cluster, as this node knows it", [of] {
    std::size_t live = 0;
    for (const placement::Node& node : of.view.nodes()) live += node.is_live ? 1 : 0;
    return live;
  });
  gauge("parley_cluster_newest_node",
        "Number of the newest live node, as this node knows it: the same on all when they agree",
        [of] {
          placement::NodeId newest = placement::kNobody;
          for (const placement::Node& node : of.view.nodes()) {
            if (node.is_live) newest = std::max(newest, node.id);
          }
          return newest;
        });
  gauge("parley_cluster_clock_correction_ms",
        "What the clock of this node lacks to that of the database, if it is over a second",
        [of] { return of.clock.correction().count(); });
  gauge("parley_cluster_slots", "Slots that this node serves", [of] { return served(of); });
  gauge("parley_cluster_slots_moving", "Slots that no node serves, as this node knows it",
        [of] { return moving(of); });
  gauge("parley_cluster_requests_forwarded", "Requests passed to other nodes since the start",
        [of] { return of.requests->requests.load(); });
  gauge("parley_cluster_requests_waiting", "Requests that wait for the next home of their owner",
        [of] { return of.requests->waiting.load(); });
  gauge("parley_cluster_requests_failed",
        "Requests for other nodes that were answered 502 or 503 since the start",
        [of] { return of.requests->failed.load(); });
  gauge("parley_cluster_sockets_forwarded", "Open WebSockets that other nodes serve",
        [of] { return of.handshakes->open.load(); });
  gauge("parley_cluster_sockets_failed",
        "WebSockets for other nodes that did not reach them since the start",
        [of] { return of.handshakes->failed.load(); });
  gauge("parley_link_connections", "Open connections that other nodes have passed on",
        [of] { return of.links->open.load(); });
  gauge("parley_link_accepted", "Connections of other nodes since the start",
        [of] { return of.links->accepted.load(); });
  gauge("parley_link_failed",
        "Connections to the link since the start that were of no node or sent no preface", [of] {
          return of.links->bad_handshakes.load() + of.links->late.load() + of.links->gone.load() +
                 of.links->dropped.load();
        });
  for (std::size_t i = 0; i < link::kRefusalNames.size(); ++i) {
    const auto code = static_cast<link::RefusalCode>(i);
    if (code == link::RefusalCode::unknown) continue;
    metrics.gauge("parley_link_refused",
                  "Connections of other nodes refused since the start, by reason",
                  [of, code] { return static_cast<double>(of.links->refused_for(code)); },
                  {{"reason", std::string(link::refusal_name(code))}});
  }
}

}  // namespace parley::app
