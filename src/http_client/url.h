// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/result.h"

namespace parley::http_client {

// The parts of a URL that decide where a request goes.
struct UrlParts {
  std::string scheme;  // "http" or "https"
  std::string host;    // in lower case as written; an IPv6 address in brackets; never empty
  std::string port;    // as a number, also where it is the scheme's own
  std::string origin() const { return scheme + "://" + host + ":" + port; }
};

// Errors: `invalid_argument`: it cannot be read, is neither http nor https, or has a user and a
// password in it.
core::Result<UrlParts> split_url(const std::string& url);

// `reference` as it is meant at `base`, for example a Location. Errors: as split_url().
core::Result<std::string> resolve_url(const std::string& base, const std::string& reference);

}  // namespace parley::http_client
