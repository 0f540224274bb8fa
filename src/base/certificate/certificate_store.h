// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/certificate/authority.h"
#include "base/certificate/subjects.h"
#include "base/certificate/tls_report.h"
#include "base/core/clock.h"
#include "base/core/result.h"

namespace parley::certificate {

struct CertificateStoreOptions {
  std::string data_dir;  // exists, and is locked by this process
  std::string host;      // host name of this computer
  // The names and addresses that the server's certificate must cover now.
  std::function<Subjects()> subjects;
};

// The authority and the server's certificate of a data directory. Reads and writes files: not for
// the thread of a loop. Thread-safe by its owner: one call at a time.
class CertificateStore {
 public:
  // Opens or makes the authority, then check(). `clock` outlives this object. Errors: those of
  // Authority::open() and check().
  static core::Result<std::unique_ptr<CertificateStore>> open(CertificateStoreOptions options,
                                                              const core::Clock& clock);

  // Makes the server's certificate again if it must be, which is logged. True: it was, so that the
  // server must read it again. Errors: those of renew_server_certificate().
  core::Result<bool> check();

  // Facts of the certificates as of the last check().
  core::Result<TlsFacts> facts() const;
  std::string certificate_file() const;
  std::string key_file() const;

 private:
  CertificateStore(CertificateStoreOptions options, const core::Clock& clock, Authority authority)
      : options_(std::move(options)), clock_(clock), authority_(std::move(authority)) {}

  const CertificateStoreOptions options_;
  const core::Clock& clock_;
  const Authority authority_;
};

}  // namespace parley::certificate
