// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/core/result.h"

namespace parley::http_client {

// The parts of a URL that determine the destination of a request.
struct UrlParts {
  std::string scheme;  // "http" or "https"
  std::string host;    // in lower case; an IPv6 address in brackets; never empty
  std::string port;    // as a number, also if it is the scheme's default
  std::string origin() const { return scheme + "://" + host + ":" + port; }
};

// Errors: `invalid_argument`: the URL is malformed, is neither http nor https, or contains a user
// or a password.
core::Result<UrlParts> split_url(const std::string& url);

// Resolves `reference`, for example a Location, against `base`. Errors: as split_url().
core::Result<std::string> resolve_url(const std::string& base, const std::string& reference);

}  // namespace parley::http_client
