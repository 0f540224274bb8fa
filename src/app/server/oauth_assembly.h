// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/server/settings.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/net/http/http.h"
#include "base/net/http/metrics.h"
#include "dialects/mcp_http/mcp_http_context.h"
#include "identity/auth/token_store.h"

namespace parley::app {

// Services below the authorization server of /mcp. They must outlive the assembly.
struct OauthDependencies {
  const Settings& settings;
  auth::TokenStore& tokens;  // that people log in with
  auth::Verifier& verifier;  // of every other caller of /mcp
  const core::Clock& clock;
  core::Entropy& entropy;
  net::Metrics& metrics;
};

// The reason why mcp.oauth cannot be on with these settings; std::nullopt: it can, or it is off.
std::optional<core::Error> oauth_fault(const Settings& settings);

// Logins of agents to /mcp: the grants, their store, and the thread on which they work.
class OauthAssembly {
 public:
  // Ends grants whose token, client or public address has gone while no server ran. Errors: those
  // of the database.
  static core::Result<std::unique_ptr<OauthAssembly>> open(const OauthDependencies& dependencies);
  ~OauthAssembly();

  void install(net::Router& router);
  // Verifies the callers of /mcp, and of nothing else.
  auth::Verifier& verifier();
  mcp_http::LoginHint login_hint();
  // Reads changes by other processes; waits for the disk. Call about once a second.
  void poll();
  // Ends the grants of a token that has ended, later.
  void forget_token(const std::string& token_id);
  // Ends the thread.
  void stop();

 private:
  struct Parts;
  explicit OauthAssembly(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace parley::app
