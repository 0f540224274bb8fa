// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/certificate/certificate_files.h"

namespace parley::certificate {

// A new key on the curve P-256.
Key new_key();

// A certificate begins this much earlier than it is made, for devices whose clocks are behind.
inline constexpr std::chrono::hours kClockSlack{24};

// The content of a certificate.
struct Content {
  std::string common_name;  // UTF-8; cut after 64 bytes, the limit of X.509
  core::WallTime begin;
  core::WallTime end;
  std::vector<std::pair<int, std::string>> extensions;  // NID and value, as in openssl.cnf
};

// A certificate for the public half of `key`, with a random serial number. `issuer`: the
// certificate of the authority, null for one that signs itself; `issuer_key` is its key.
Certificate make_certificate(const Content& content, EVP_PKEY& key, X509* issuer,
                             EVP_PKEY& issuer_key);

}  // namespace parley::certificate
