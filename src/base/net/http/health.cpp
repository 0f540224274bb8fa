// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/health.h"

#include <utility>

namespace parley::net {

void add_health_routes(Router& router, std::function<core::Result<void>()> ready) {
  router.add("GET", "/healthz", [](const Request&, Responder responder) {
    responder.send(Response::text(200, "ok"));
  });
  router.add("GET", "/health", [](const Request&, Responder responder) {
    responder.send(Response::text(200, "OK"));
  });
  router.add("GET", "/readyz", [ready = std::move(ready)](const Request&, Responder responder) {
    const core::Result<void> state = ready();
    responder.send(state ? Response::text(200, "ready")
                         : Response::text(503, state.error().message));
  });
}

void add_metrics_route(Router& router, const Metrics& metrics) {
  router.add("GET", "/metrics", [&metrics](const Request&, Responder responder) {
    Response response;
    response.headers.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    response.body = metrics.render();
    responder.send(std::move(response));
  });
}

}  // namespace parley::net
