// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/certificate/tls_report.h"

namespace parley::certificate {

// An unsigned configuration profile (property list in XML) with which an Apple device installs the
// authority's certificate. Its identifiers depend on the certificate alone, so that a second
// installation replaces the first. Requires TlsMode::automatic.
std::string apple_profile(const TlsFacts& facts);

}  // namespace parley::certificate
