// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "base/core/clock.h"
#include "base/core/corrected_clock.h"
#include "base/link/handshake_forwarder.h"
#include "base/link/link_listener.h"
#include "base/link/request_forwarder.h"
#include "base/net/http/metrics.h"
#include "model/placement/cluster_view.h"
#include "model/placement/home_map.h"

namespace parley::app {

// The state and the counters of a node of a cluster; all outlive the metrics.
struct ClusterFacts {
  const placement::HomeMap& homes;
  const placement::ClusterView& view;
  const std::atomic<placement::NodeId>& number;
  const core::CorrectedClock& clock;
  std::shared_ptr<const link::ForwardCounters> requests;
  std::shared_ptr<const link::HandshakeCounters> handshakes;
  std::shared_ptr<const link::LinkCounters> links;
};

// The gauges of a node (docs/metrics.md, "In a cluster").
void add_cluster_gauges(net::Metrics& metrics, const ClusterFacts& of);

}  // namespace parley::app
