// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/net/loop/stream.h"

namespace parley::comfyui {

// Address of a ComfyUI server. All requests of a client go to this address only: redirects are not
// followed, and names from callers are encoded as one part of a path or of a query.
struct ServerAddress {
  std::string scheme;     // "http" or "https"
  std::string authority;  // "127.0.0.1:8188": the Host field
  std::string prefix;     // path before the routes, without a trailing slash: "" or "/comfy"
  net::Endpoint endpoint;

  // Parses "http://127.0.0.1:8188", "https://gpu.example.org/comfy/". Errors: `invalid_argument`,
  // field `base_url`: no http(s) URL, a user or password in it, a query, a fragment, "..".
  static core::Result<ServerAddress> parse(std::string_view base_url);

  bool secure() const { return scheme == "https"; }
  // `target`: the path and the query of a route, already encoded.
  std::string url(std::string_view target) const { return origin() + prefix + std::string(target); }
  std::string origin() const { return scheme + "://" + authority; }
};

// "?a=1&b=%2F" from names and values; empty if there are none.
std::string query_of(const std::vector<std::pair<std::string_view, std::string_view>>& values);

// Credentials for a server: none, or one of the two kinds.
struct Credentials {
  std::string user;  // with `password`: basic authentication, of a proxy before the server
  std::string password;
  std::string bearer;

  bool none() const { return user.empty() && bearer.empty(); }
  // "Basic ...", "Bearer ..."; empty without credentials.
  std::string authorization() const;
  // Removes all copies of these credentials from a text of the server.
  std::string removed_from(std::string text) const;
  // Errors: `invalid_argument`, with the field: both kinds, a control character, a colon in `user`.
  core::Result<void> check() const;
};

}  // namespace parley::comfyui
