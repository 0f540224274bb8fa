// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "app/server/settings.h"
#include "base/certificate/certificate_store.h"
#include "base/certificate/tls_report.h"
#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/net/loop/tls.h"

namespace parley::app {

// The mode that the settings ask for: a certificate of the operator's own takes precedence over
// "auto".
certificate::TlsMode tls_mode(const Settings& settings);
// "http://" or "https://".
std::string_view origin_scheme(const Settings& settings);
// The names and addresses that the certificate of "auto" covers: those of this computer, of the
// listening address and of the allowed origins.
certificate::Subjects certificate_subjects(const Settings& settings);

// The TLS of a server: its certificate, the listening network and what the API shows of both.
class TlsAssembly {
 public:
  // Time between two checks of the certificate of "auto".
  static constexpr core::Millis kCheckInterval{3'600'000};

  // All arguments by reference outlive this object.
  TlsAssembly(const Settings& settings, const core::Clock& clock, net::Network& plain);

  certificate::TlsMode mode() const { return mode_; }
  // Reads, or for "auto" makes, the certificate. Call once, before network(); for "auto" the data
  // directory must be locked. Errors: those of TlsContext::server() and CertificateStore::open().
  core::Result<void> load();
  // Starts the checks of "auto" on a thread that may wait for the disk. `worker` must stop before
  // this object is destroyed.
  void watch(core::Scheduler& worker);

  // The network to listen on.
  net::Network& network();
  // Reads the certificate again, for new connections; for "auto" it is checked first. Does nothing
  // without TLS. Errors: as load(); the old certificate stays in use. Any thread that may block.
  core::Result<void> reload();

  certificate::TlsReport& report() { return report_; }
  // The name of the file in the data directory with the authority of "auto"; empty: another mode.
  std::string authority_file() const;

 private:
  core::Result<void> note_facts();
  std::string certificate_file() const;
  std::string key_file() const;
  void check();
  void arm(core::Scheduler& worker);

  const Settings& settings_;
  const core::Clock& clock_;
  net::Network& plain_;
  const certificate::TlsMode mode_;
  certificate::TlsReport report_;
  std::mutex mutex_;  // guards store_ against a signal and the worker at once
  std::unique_ptr<certificate::CertificateStore> store_;
  std::shared_ptr<net::TlsContext> context_;
  std::unique_ptr<net::TlsNetwork> network_;
};

}  // namespace parley::app
