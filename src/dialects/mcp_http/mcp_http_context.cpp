// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/mcp_http/mcp_http_context.h"

#include <algorithm>
#include <utility>

#include "base/core/assert.h"
#include "dialects/mcp_http/legacy_session.h"
#include "dialects/mcp_http/modern_call.h"

namespace parley::mcp_http {

McpHttpCounters::McpHttpCounters(net::Metrics& metrics)
    : requests(
          metrics.counter("parley_mcp_requests_total", "Messages that MCP clients sent by HTTP")),
      refused(metrics.counter("parley_mcp_refused_total",
                              "HTTP requests of MCP clients that were refused")),
      sessions(metrics.counter("parley_mcp_sessions_total", "Sessions that MCP clients began")),
      sessions_refused(metrics.counter("parley_mcp_sessions_refused_total",
                                       "Sessions of MCP clients that were refused by a limit")),
      streams_resumed(metrics.counter("parley_mcp_streams_resumed_total",
                                      "Event streams that MCP clients took up again")),
      callers_disconnected(metrics.counter("parley_mcp_callers_gone_total",
                                           "MCP clients that left before their answer")) {}

McpHttpContext::McpHttpContext(std::vector<core::Scheduler*> schedulers, auth::Verifier& verifier,
                               core::Entropy& entropy, net::Metrics& metrics,
                               mcp::McpServer::Identity identity, MakeOffer make_offer,
                               McpHttpOptions options)
    : schedulers_(std::move(schedulers)),
      verifier_(verifier),
      entropy_(entropy),
      identity_(std::move(identity)),
      make_offer_(std::move(make_offer)),
      options_(options),
      counters_(metrics),
      shards_(schedulers_.size()) {}

McpHttpContext::~McpHttpContext() = default;

std::size_t McpHttpContext::index_of(const core::Scheduler& scheduler) const {
  const auto found = std::find(schedulers_.begin(), schedulers_.end(), &scheduler);
  PARLEY_ASSERT(found != schedulers_.end(), "a connection on a thread that MCP does not know");
  return static_cast<std::size_t>(found - schedulers_.begin());
}

void McpHttpContext::shut_down() {
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    schedulers_[i]->post([this, i] {
      const auto sessions = std::exchange(shards_[i].sessions, {});
      for (const auto& [id, session] : sessions) session->close("The server is shutting down.");
      const auto calls = std::exchange(shards_[i].calls, {});
      for (const auto& [at, call] : calls) call->close("The server is shutting down.");
    });
  }
}

}  // namespace parley::mcp_http
