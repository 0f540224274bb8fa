// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parley::net {

// A request target (RFC 9112 section 3.2), taken apart.
struct HttpTarget {
  std::string path;       // decoded and normalised, begins with '/'; "*" for OPTIONS *
  std::string query;      // as sent, without '?'
  std::string authority;  // of the absolute form ("GET http://host/path"), else empty
};

// Takes origin form ("/a?b"), absolute form and "*". The path is percent-decoded first and then
// normalised: empty parts and "." go, ".." takes one part off and never leaves the root, a slash at
// the end stays. std::nullopt for a broken escape, for control characters (also escaped ones), for
// bytes that are no UTF-8, and for every other form.
std::optional<HttpTarget> parse_target(std::string_view target);

}  // namespace parley::net
