// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/certificate/certificate_files.h"

namespace parley::certificate {

inline constexpr std::string_view kAuthorityFile = "authority.pem";
inline constexpr std::string_view kAuthorityKeyFile = "authority.key";

// The certificate authority of a data directory. Devices trust its certificate, so it is made once
// and never replaced. Not thread-safe.
class Authority {
 public:
  // From DATA/authority.pem and DATA/authority.key; makes both, mode 0600, if there is neither, and
  // the certificate alone if only the key is there (a crash between the two). `host` becomes part
  // of its name. Errors: `data_loss` (a file is missing, broken or does not fit the other; the
  // message names it), `failed_precondition` (expired), those of core::write_private_file().
  static core::Result<Authority> open(const std::string& data_dir, const std::string& host,
                                      core::WallTime now);
  // The same for existing files only. Further error: `not_found` (there are none).
  static core::Result<Authority> read(const std::string& data_dir, core::WallTime now);

  X509& certificate() const { return *certificate_; }
  EVP_PKEY& key() const { return *key_; }
  core::WallTime end() const { return end_of(*certificate_); }
  // SHA-256 of the certificate: "AB:CD:...", 32 bytes.
  std::string fingerprint() const;

 private:
  Authority(Key key, Certificate certificate)
      : key_(std::move(key)), certificate_(std::move(certificate)) {}

  Key key_;
  Certificate certificate_;
};

}  // namespace parley::certificate
