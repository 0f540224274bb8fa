// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/core/result.h"
#include "base/net/http/http.h"
#include "base/net/http/metrics.h"

namespace parley::net {

// /healthz (200 "ok") and /health (200 "OK"): the process is alive. /readyz: 200 "ready", or 503
// with the message while `ready` returns an error. `ready` runs on any thread and must not wait.
void add_health_routes(Router& router, std::function<core::Result<void>()> ready);

// /metrics in the Prometheus text format. `metrics` outlives the router.
void add_metrics_route(Router& router, const Metrics& metrics);

}  // namespace parley::net
