// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/mcp/mcp_server.h"
#include "agents/mcp/offer.h"
#include "base/core/entropy.h"
#include "base/net/http/http.h"
#include "base/net/http/metrics.h"
#include "identity/auth/token_store.h"

namespace parley::mcp_http {

class LegacySession;
class ModernCall;

// The hint of a refusal for clients that can log in (RFC 9728 section 5.1).
struct LoginHint {
  // The address of the resource's metadata for a request; empty: none.
  std::function<std::string(const net::Request& request)> metadata;
  std::string scopes;  // "parley:ask parley:read"
};

// Settings of the dialect; docs/limits.md is made of the marked ones.
struct McpHttpOptions {
  std::size_t max_message_bytes = 16U << 20U;
  // Limit (MCP over HTTP): sessions of a workspace, on one thread of the server. Reached: 429,
  // counted.
  std::size_t max_sessions = 200;  // of a workspace, on one thread
  // Open requests of revision 2026-07-28 of a workspace, on one thread.
  // Limit (MCP over HTTP): open requests of revision 2026-07-28 of a workspace, on one thread.
  // Reached: 429.
  std::size_t max_calls = 2'000;
  // Limit (MCP over HTTP): a session without requests. Reached: ended; 404 then.
  core::Millis session_idle = std::chrono::hours(24);  // a session without requests ends then
  std::optional<LoginHint> login = {};
};

struct McpHttpCounters {
  explicit McpHttpCounters(net::Metrics& metrics);

  net::Counter& requests;
  net::Counter& refused;
  net::Counter& sessions;
  net::Counter& sessions_refused;
  net::Counter& streams_resumed;
  net::Counter& callers_disconnected;
};

// Makes the offer for one client, on the thread of `scheduler`.
using MakeOffer = std::function<std::unique_ptr<mcp::Offer>(const auth::Identity& caller,
                                                            core::Scheduler& scheduler)>;

// The sessions and calls of one thread.
struct McpShard {
  std::map<std::string, std::shared_ptr<LegacySession>> sessions;  // by id
  std::map<const ModernCall*, std::shared_ptr<ModernCall>> calls;
  std::map<std::string, std::size_t> sessions_of;  // number, by workspace
  std::map<std::string, std::size_t> calls_of;
};

// State of the dialect. Each shard of it belongs to one thread. Must outlive the server and the
// last task of the loops.
class McpHttpContext {
 public:
  // `schedulers`: the threads of the server's connections.
  McpHttpContext(std::vector<core::Scheduler*> schedulers, auth::Verifier& verifier,
                 core::Entropy& entropy, net::Metrics& metrics, mcp::McpServer::Identity identity,
                 MakeOffer make_offer, McpHttpOptions options = {});
  ~McpHttpContext();
  McpHttpContext(const McpHttpContext&) = delete;
  McpHttpContext& operator=(const McpHttpContext&) = delete;

  // Ends every session and call, each on its thread, later. For the end of the server; any thread.
  void shut_down();

  auth::Verifier& verifier() { return verifier_; }
  core::Entropy& entropy() { return entropy_; }
  const McpHttpOptions& options() const { return options_; }
  McpHttpCounters& counters() { return counters_; }
  const mcp::McpServer::Identity& identity() const { return identity_; }
  std::unique_ptr<mcp::Offer> make_offer(const auth::Identity& caller, core::Scheduler& scheduler) {
    return make_offer_(caller, scheduler);
  }

  // The number of a thread, which is the first part of the ids of its sessions.
  std::size_t index_of(const core::Scheduler& scheduler) const;
  std::size_t threads() const { return schedulers_.size(); }
  core::Scheduler& scheduler(std::size_t index) { return *schedulers_.at(index); }
  // On the thread of that number only.
  McpShard& shard(std::size_t index) { return shards_.at(index); }

 private:
  const std::vector<core::Scheduler*> schedulers_;
  auth::Verifier& verifier_;
  core::Entropy& entropy_;
  const mcp::McpServer::Identity identity_;
  const MakeOffer make_offer_;
  const McpHttpOptions options_;
  McpHttpCounters counters_;
  std::vector<McpShard> shards_;
};

}  // namespace parley::mcp_http
