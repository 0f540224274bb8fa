// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_host.h"

#include <optional>
#include <utility>

#include "agents/mcp/settings.h"

namespace parley::app {

tl::expected<RunHost, StartFailure> RunHost::find_or_start(const Settings& settings) {
  Settings own = settings;
  own.listen = {"127.0.0.1", 0};
  own.cluster_node.clear();  // it has no studies, which others would pass to it
  own.tls_mode.clear();
  own.tls_cert.clear();
  own.tls_key.clear();
  auto started = ServerAssembly::start(own, ServerAssembly::Scope::runs);
  RunHost host;
  if (started) {
    host.server_ = std::move(*started);
    host.url_ = host.server_->url();
    host.token_ = host.server_->token();
    return host;
  }
  if (started.error().code != kExitDataInUse) return tl::unexpected(std::move(started.error()));
  std::optional<mcp::ServerAccess> running = mcp::discover_server(settings.data);
  if (!running) return tl::unexpected(std::move(started.error()));
  host.url_ = std::move(running->base_url);
  host.token_ = std::move(running->token);
  host.ca_file_ = std::move(running->ca_file);
  return host;
}

}  // namespace parley::app
