// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/certificate/certificate_keeper.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "base/certificate/server_certificate.h"
#include "base/core/result.h"

namespace parley::certificate {

core::Result<std::unique_ptr<CertificateKeeper>> CertificateKeeper::open(KeeperOptions options,
                                                                         const core::Clock& clock) {
  PARLEY_TRY(Authority authority, Authority::open(options.data_dir, options.host, clock.wall()));
  // The constructor is private, so make_unique cannot reach it.
  std::unique_ptr<CertificateKeeper> keeper(
      new CertificateKeeper(std::move(options), clock, std::move(authority)));
  PARLEY_TRY_VOID(keeper->check());
  return keeper;
}

core::Result<bool> CertificateKeeper::check() {
  PARLEY_TRY(const std::string why, renew_server_certificate(options_.data_dir, authority_,
                                                             options_.subjects(), clock_.wall()));
  if (!why.empty()) spdlog::info("a certificate for this server was made: {}", why);
  return !why.empty();
}

core::Result<TlsFacts> CertificateKeeper::facts() const {
  TlsFacts out;
  out.mode = TlsMode::automatic;
  out.host = options_.host;
  out.authority_der = der_of(authority_.certificate());
  out.fingerprint = authority_.fingerprint();
  out.authority_expires_at = authority_.end();
  PARLEY_TRY(out.expires_at, end_of_file(certificate_file()));
  return out;
}

std::string CertificateKeeper::certificate_file() const {
  return file_in(options_.data_dir, kServerFile);
}

std::string CertificateKeeper::key_file() const {
  return file_in(options_.data_dir, kServerKeyFile);
}

}  // namespace parley::certificate
