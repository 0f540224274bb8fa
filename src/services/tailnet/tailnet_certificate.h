// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "services/tailnet/tailnet_fault.h"

namespace parley::tailnet {

inline constexpr std::string_view kTailnetFile = "tailnet.pem";     // certificate chain
inline constexpr std::string_view kTailnetKeyFile = "tailnet.key";  // its private key

// A certificate that was checked, with its key.
struct CertificatePair {
  std::string chain;  // PEM, that of the server first
  std::string key;    // PEM
  core::WallTime end;
};

// Takes the answer of `tailscale cert` apart. A fault unless it holds a certificate that covers
// `name`, is valid at `now`, and the key that belongs to it; anything else in it is dropped.
Found<CertificatePair> read_pair(std::string_view pem, const std::string& name, core::WallTime now);

// Writes DATA/tailnet.pem and DATA/tailnet.key, mode 0600, unless they are equal already. True:
// they were written. Errors: those of core::write_private_file(). Waits for the disk.
core::Result<bool> keep_pair(const std::string& data_dir, const CertificatePair& pair);

}  // namespace parley::tailnet
