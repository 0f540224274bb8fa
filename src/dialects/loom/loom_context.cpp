// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/loom/loom_context.h"

namespace parley::loom {

LoomCounters::LoomCounters(net::Metrics& metrics)
    : requests(metrics.counter("parley_loom_requests_total", "Requests on the Loom WebSocket")),
      errors(metrics.counter("parley_loom_errors_total", "Errors answered on the Loom WebSocket")),
      watches(metrics.counter("parley_loom_watches_total",
                              "Runs that were followed on the Loom WebSocket")) {}

LoomContext::LoomContext(session::Hub& hub, event::SessionStore& store, run::RunService& runs,
                         WorkspaceStore* workspaces, auth::Verifier& verifier,
                         core::Entropy& entropy, net::Metrics& metrics, LoomOptions options)
    : hub_(hub),
      store_(store),
      runs_(runs),
      workspaces_(workspaces),
      verifier_(verifier),
      entropy_(entropy),
      options_(options),
      counters_(metrics) {}

}  // namespace parley::loom
