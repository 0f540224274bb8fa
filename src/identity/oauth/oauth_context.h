// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/worker.h"
#include "base/http_client/fetcher.h"
#include "base/net/http/http.h"
#include "base/net/http/metrics.h"
#include "identity/auth/token_store.h"
#include "identity/oauth/client_registry.h"
#include "identity/oauth/code_store.h"
#include "identity/oauth/grant_store.h"

namespace parley::oauth {

// Limit (Logins of agents): life of the login page's form. Reached: 400.
inline constexpr core::Millis kFormLife = std::chrono::minutes(10);

// Seals the hidden field of the consent form, so that only forms of this server are taken, and only
// for kFormLife. The key lives as long as this object. Thread-safe.
class FormSigner {
 public:
  explicit FormSigner(core::Entropy& entropy);

  std::string sign(std::string_view content, core::WallTime now) const;
  // The content. Errors: `invalid_request` (changed, of another server, or too old).
  core::Result<std::string> open(std::string_view signed_text, core::WallTime now) const;

 private:
  std::string mac_of(std::string_view text) const;

  std::array<unsigned char, 32> key_{};
};

// Limit (Logins of agents): new clients in a minute. Reached: 429.
inline constexpr std::size_t kMaxRegistrationsInMinute = 20;
// Limit (Logins of agents): a typed token. Reached: it is wrong.
inline constexpr std::size_t kMaxTypedTokenBytes = 1'024;

struct Options {
  // "https://parley.example"; empty: the Host of each request, which must be a loopback host.
  std::string origin;
  std::vector<Client> clients;  // of the settings
  bool registration = false;    // POST /register is served
};

// Services below the routes, which must outlive the context.
struct Dependencies {
  auth::Verifier& tokens;  // of people: Parley's tokens alone
  GrantStore& grants;
  http_client::Fetcher* fetcher = nullptr;  // null: no client documents
  core::Worker& worker;                     // runs the calls of `grants` that wait for the disk
  const core::Clock& clock;
  core::Entropy& entropy;
  net::Metrics& metrics;
};

struct Counters {
  explicit Counters(net::Metrics& metrics);

  net::Counter& issued;
  net::Counter& refused;
  net::Counter& consents;
  net::Counter& denied;
};

// State of the authorization server. Must outlive the router and the last task of the loops. The
// members may be used on any thread.
class Context {
 public:
  Context(const Dependencies& dependencies, Options options);

  // The addresses of this server for a request. std::nullopt: the request came for a host that is
  // neither the public one nor this computer.
  std::optional<Place> place_of(const net::Request& request) const;
  // Ends what a Parley token has consented to, later.
  void forget_token(const std::string& token_id);
  // Reads the changes of other processes. Waits for the disk.
  void poll();
  // Removes expired grants, later.
  void sweep();
  // True if another client may register now.
  bool may_register();

  const Dependencies& dependencies() const { return dependencies_; }
  const Options& options() const { return options_; }
  ClientRegistry& clients() { return clients_; }
  CodeStore& codes() { return codes_; }
  const FormSigner& sign() const { return signer_; }
  Counters& counters() { return counters_; }

 private:
  void add_gauges();

  const Dependencies dependencies_;
  const Options options_;
  ClientRegistry clients_;
  CodeStore codes_;
  const FormSigner signer_;
  Counters counters_;
  std::mutex mutex_;
  std::deque<core::MonoTime> registrations_;  // within the last minute
};

}  // namespace parley::oauth
