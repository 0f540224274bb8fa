// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/tls_assembly.h"

#include <spdlog/spdlog.h>

#include <utility>
#include <vector>

#include "base/certificate/interface_addresses.h"
#include "base/core/result.h"
#include "base/net/http/https_redirect.h"
#include "base/net/http/origin_policy.h"

namespace parley::app {

using certificate::TlsMode;

TlsMode tls_mode(const Settings& settings) {
  if (!settings.tls_cert.empty()) return TlsMode::own;
  return settings.tls_mode == certificate::mode_name(TlsMode::automatic) ? TlsMode::automatic
                                                                         : TlsMode::off;
}

std::string_view origin_scheme(const Settings& settings) {
  return tls_mode(settings) == TlsMode::off ? "http://" : "https://";
}

certificate::Subjects certificate_subjects(const Settings& settings) {
  constexpr std::string_view kSchemeEnd = "://";
  std::vector<std::string> hosts = {settings.listen.host};
  for (const std::string& origin : settings.server.allowed_origins) {
    const std::size_t scheme = origin.find(kSchemeEnd);
    if (scheme == std::string::npos) continue;
    const auto host =
        net::HostPort::parse(std::string_view(origin).substr(scheme + kSchemeEnd.size()));
    if (host) hosts.push_back(host->host);
  }
  return certificate::subjects_of_this_computer(hosts);
}

TlsAssembly::TlsAssembly(const Settings& settings, const core::Clock& clock, net::Network& plain)
    : settings_(settings), clock_(clock), plain_(plain), mode_(tls_mode(settings)) {}

core::Result<void> TlsAssembly::load() {
  if (mode_ == TlsMode::off) return {};
  if (mode_ == TlsMode::automatic) {
    PARLEY_TRY(auto store, certificate::CertificateStore::open(
                               {settings_.data, certificate::host_name(),
                                [this] { return certificate_subjects(settings_); }},
                               clock_));
    store_ = std::move(store);
  }
  PARLEY_TRY(auto context, net::TlsContext::server(certificate_file(), key_file()));
  context_ = std::move(context);
  network_ = std::make_unique<net::TlsNetwork>(
      plain_, context_, nullptr,
      [policy = net::OriginPolicy(settings_.listen, settings_.server.allowed_origins)](
          std::string_view head) { return net::https_redirect(head, policy); });
  return note_facts();
}

core::Result<void> TlsAssembly::note_facts() {
  certificate::TlsFacts facts;
  if (store_) {
    PARLEY_TRY(facts, store_->facts());
  } else {
    facts.mode = mode_;
    PARLEY_TRY(facts.expires_at, certificate::end_of_file(certificate_file()));
  }
  report_.set(std::move(facts));
  return {};
}

void TlsAssembly::watch(core::Scheduler& worker) {
  if (mode_ != TlsMode::automatic) return;
  worker.post([this, &worker] { arm(worker); });
}

void TlsAssembly::arm(core::Scheduler& worker) {
  worker.after(kCheckInterval, [this, &worker] {
    arm(worker);  // first: an exception in check() must not end the checks
    check();
  });
}

// Loads the certificate only if it was made again.
void TlsAssembly::check() {
  const std::scoped_lock lock(mutex_);
  const auto created = store_->check();
  core::Result<void> done = created ? core::Result<void>() : core::fail(created.error());
  if (created && *created) {
    done = context_->load(certificate_file(), key_file());
    if (done) done = note_facts();
  }
  if (!done) spdlog::error("the server's certificate was not renewed: {}", done.error().message);
}

net::Network& TlsAssembly::network() { return network_ ? *network_ : plain_; }

core::Result<void> TlsAssembly::reload() {
  if (!context_) return {};
  const std::scoped_lock lock(mutex_);
  if (store_) PARLEY_TRY_VOID(store_->check());
  PARLEY_TRY_VOID(context_->load(certificate_file(), key_file()));
  return note_facts();
}

std::string TlsAssembly::certificate_file() const {
  return store_ ? store_->certificate_file() : settings_.tls_cert;
}

std::string TlsAssembly::key_file() const {
  return store_ ? store_->key_file() : settings_.tls_key;
}

std::string TlsAssembly::authority_file() const {
  return store_ ? std::string(certificate::kAuthorityFile) : std::string();
}

}  // namespace parley::app
