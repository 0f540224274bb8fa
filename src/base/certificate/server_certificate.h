// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/certificate/authority.h"
#include "base/certificate/subjects.h"

namespace parley::certificate {

inline constexpr std::string_view kServerFile = "server.pem";     // with the authority's
inline constexpr std::string_view kServerKeyFile = "server.key";  // mode 0600, as all files here

// A certificate is made again when fewer days are left.
inline constexpr std::chrono::days kRenewBefore{30};

// The names and addresses of `subjects` that a certificate does not cover.
std::vector<std::string> uncovered(const X509& certificate, const Subjects& subjects);

// Makes DATA/server.pem and DATA/server.key again if they are missing or broken, end within
// kRenewBefore, lack a subject, or are from another authority. Returns the reason, for the log;
// empty: they are kept. They can be lost: unlike the authority, no device stores them. Errors:
// those of core::write_private_file().
core::Result<std::string> renew_server_certificate(const std::string& data_dir,
                                                   const Authority& authority,
                                                   const Subjects& subjects, core::WallTime now);

}  // namespace parley::certificate
