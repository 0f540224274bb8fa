// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parley::net {

// The parts of a request target (RFC 9112 section 3.2).
struct HttpTarget {
  std::string path;       // decoded and normalised, begins with '/'; "*" for OPTIONS *
  std::string query;      // as sent, without '?'
  std::string authority;  // from the absolute form ("GET http://host/path"); otherwise empty
};

// Parses origin form ("/a?b"), absolute form and "*". The path is percent-decoded, then normalised:
// empty parts and "." are removed, ".." removes the part before it and never leaves the root, a
// final slash stays. std::nullopt for an invalid escape, control characters (also escaped ones),
// invalid UTF-8, and every other form.
std::optional<HttpTarget> parse_target(std::string_view target);

}  // namespace parley::net
