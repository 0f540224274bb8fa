// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/certificate/certificate_store.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "base/certificate/server_certificate.h"
#include "base/core/result.h"

namespace parley::certificate {

core::Result<std::unique_ptr<CertificateStore>> CertificateStore::open(
    CertificateStoreOptions options, const core::Clock& clock) {
  PARLEY_TRY(Authority authority, Authority::open(options.data_dir, options.host, clock.wall()));
  // The constructor is private, so make_unique cannot reach it.
  std::unique_ptr<CertificateStore> store(
      new CertificateStore(std::move(options), clock, std::move(authority)));
  PARLEY_TRY_VOID(store->check());
  return store;
}

core::Result<bool> CertificateStore::check() {
  PARLEY_TRY(const std::string why, renew_server_certificate(options_.data_dir, authority_,
                                                             options_.subjects(), clock_.wall()));
  if (!why.empty()) spdlog::info("a certificate for this server was made: {}", why);
  return !why.empty();
}

core::Result<TlsFacts> CertificateStore::facts() const {
  TlsFacts out;
  out.mode = TlsMode::automatic;
  out.host = options_.host;
  out.authority_der = der_of(authority_.certificate());
  out.fingerprint = authority_.fingerprint();
  out.authority_expires_at = authority_.end();
  PARLEY_TRY(out.expires_at, end_of_file(certificate_file()));
  return out;
}

std::string CertificateStore::certificate_file() const {
  return file_in(options_.data_dir, kServerFile);
}

std::string CertificateStore::key_file() const {
  return file_in(options_.data_dir, kServerKeyFile);
}

}  // namespace parley::certificate
