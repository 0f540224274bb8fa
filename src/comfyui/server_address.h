// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "net/loop/stream.h"

namespace parley::comfyui {

// Where a ComfyUI server is. All requests of a client go to this place and nowhere else: redirects
// are not followed, and what a caller names becomes one encoded part of a path or of a query.
struct ServerAddress {
  std::string scheme;     // "http" or "https"
  std::string authority;  // "127.0.0.1:8188": the Host field
  std::string prefix;     // path before the routes, without a slash at its end: "" or "/comfy"
  net::Endpoint endpoint;

  // "http://127.0.0.1:8188", "https://gpu.example.org/comfy/". Errors: `invalid_argument`, field
  // `base_url`: no http(s) URL, a user or password in it, a query, a fragment, "..".
  static core::Result<ServerAddress> parse(std::string_view base_url);

  bool secure() const { return scheme == "https"; }
  // `target`: the path and the query of a route, encoded already.
  std::string url(std::string_view target) const { return origin() + prefix + std::string(target); }
  std::string origin() const { return scheme + "://" + authority; }
};

// "?a=1&b=%2F" of names and values; empty without one.
std::string query_of(const std::vector<std::pair<std::string_view, std::string_view>>& values);

// Credentials that a server asks for; none, or one of the two kinds.
struct Credentials {
  std::string user;  // with `password`: basic authentication, of a proxy before the server
  std::string password;
  std::string bearer;

  bool none() const { return user.empty() && bearer.empty(); }
  // "Basic ...", "Bearer ..."; empty with none.
  std::string authorization() const;
  // A text of the server without what it repeats of them.
  std::string removed_from(std::string text) const;
  // Errors: `invalid_argument`, with the field: both kinds, a control character, a colon in `user`.
  core::Result<void> check() const;
};

}  // namespace parley::comfyui
