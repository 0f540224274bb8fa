// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/oauth_context.h"

#include <sodium.h>
#include <spdlog/spdlog.h>

#include <span>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/base64.h"
#include "base/core/loopback.h"
#include "base/core/number_text.h"
#include "base/net/http/origin_policy.h"
#include "identity/oauth/parameters.h"

namespace parley::oauth {

namespace {

static_assert(crypto_auth_KEYBYTES == 32);

tl::unexpected<core::Error> unfit() {
  return core::fail(protocol_error(
      "invalid_request", "This page is too old. Begin again in the program that opened it."));
}

}  // namespace

FormSigner::FormSigner(core::Entropy& entropy) {
  entropy.fill(std::as_writable_bytes(std::span(key_)));
}

std::string FormSigner::mac_of(std::string_view text) const {
  std::array<unsigned char, crypto_auth_BYTES> mac{};
  crypto_auth(mac.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
              key_.data());
  return core::base64url_encode({reinterpret_cast<const char*>(mac.data()), mac.size()});
}

// UNTIL.CONTENT.MAC, with the content in base64.
std::string FormSigner::sign(std::string_view content, core::WallTime now) const {
  const std::string body =
      std::to_string(core::to_unix_ms(now + kFormLife)) + "." + core::base64url_encode(content);
  return body + "." + mac_of(body);
}

core::Result<std::string> FormSigner::open(std::string_view signed_text, core::WallTime now) const {
  const std::size_t end = signed_text.rfind('.');
  if (end == std::string_view::npos) return unfit();
  const std::string_view body = signed_text.substr(0, end);
  const std::string mac = mac_of(body);
  const std::string_view given = signed_text.substr(end + 1);
  if (given.size() != mac.size() || sodium_memcmp(given.data(), mac.data(), mac.size()) != 0) {
    return unfit();
  }
  const std::size_t dot = body.find('.');
  const auto until = core::parse_number<std::int64_t>(body.substr(0, dot));
  if (!until || *until < core::to_unix_ms(now)) return unfit();
  auto content = core::base64_decode(body.substr(dot + 1));
  if (!content) return unfit();
  return *std::move(content);
}

Counters::Counters(net::Metrics& metrics)
    : issued(metrics.counter("parley_oauth_tokens_total", "Access tokens issued to MCP clients")),
      refused(metrics.counter("parley_oauth_refused_total",
                              "Requests to the authorization server that were refused")),
      consents(metrics.counter("parley_oauth_consents_total",
                               "Consents of people to the access of an MCP client")),
      denied(metrics.counter("parley_oauth_denied_total", "Refusals of people of such access")) {}

Context::Context(const Dependencies& dependencies, Options options)
    : dependencies_(dependencies),
      options_(std::move(options)),
      clients_(options_.clients, dependencies.grants, dependencies.fetcher, dependencies.clock),
      codes_(dependencies.clock, dependencies.entropy),
      signer_(dependencies.entropy),
      counters_(dependencies.metrics) {
  add_gauges();
}

std::optional<Place> Context::place_of(const net::Request& request) const {
  if (!options_.origin.empty()) return Place{options_.origin};
  const std::string host = core::lowered(request.headers.get("Host"));
  const auto parts = net::HostPort::parse(host);
  if (!parts || !core::is_loopback_host(parts->host)) return std::nullopt;
  return Place{(request.secure ? "https://" : "http://") + host};
}

void Context::forget_token(const std::string& token_id) {
  codes_.forget_token(token_id);
  dependencies_.worker.post([this, token_id] {
    const core::Result<void> done = dependencies_.grants.end_token(token_id);
    if (!done) spdlog::error("oauth: oauth.db: {}", done.error().message);
  });
}

void Context::poll() {
  const core::Result<void> done = dependencies_.grants.poll();
  if (!done) spdlog::warn("oauth: oauth.db: {}", done.error().message);
}

void Context::sweep() {
  dependencies_.worker.post([this] {
    const core::Result<void> done = dependencies_.grants.sweep();
    if (!done) spdlog::warn("oauth: oauth.db: {}", done.error().message);
  });
}

bool Context::may_register() {
  const core::MonoTime now = dependencies_.clock.mono();
  const std::scoped_lock lock(mutex_);
  while (!registrations_.empty() && registrations_.front() + std::chrono::minutes(1) <= now) {
    registrations_.pop_front();
  }
  if (registrations_.size() >= kMaxRegistrationsInMinute) return false;
  registrations_.push_back(now);
  return true;
}

void Context::add_gauges() {
  net::Metrics& metrics = dependencies_.metrics;
  metrics.gauge("parley_oauth_grants", "MCP clients that have access",
                [this] { return static_cast<double>(dependencies_.grants.grants()); });
  metrics.gauge("parley_oauth_clients", "Registered MCP clients",
                [this] { return static_cast<double>(dependencies_.grants.clients()); });
  metrics.gauge("parley_oauth_codes", "Authorization codes that wait for their exchange",
                [this] { return static_cast<double>(codes_.size()); });
  metrics.gauge("parley_oauth_reuses",
                "Grants since the start that ended because a used secret came again",
                [this] { return static_cast<double>(dependencies_.grants.reuses()); });
  metrics.gauge("parley_oauth_document_fetches", "Documents of clients fetched since the start",
                [this] { return static_cast<double>(clients_.fetches()); });
}

}  // namespace parley::oauth
