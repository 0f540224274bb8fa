// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "net/http.h"

namespace parley::net {

// One file of a bundle that is part of the program. The views last as long as the program.
struct Asset {
  std::string_view path;  // "/assets/index-1a2b3c.js"
  std::string_view content_type;
  std::string_view identity;  // as it is
  std::string_view gzip;      // empty: there is none
  std::string_view br;        // empty: there is none
  std::string_view etag;      // of the content, without quotes: "5f2c..."
  bool immutable = false;     // the name changes with the content, so it is kept for a year
};

// Serves a bundle of files: the form that the client takes best (br, gzip, as it is), 304 for what
// it has already, a strict Content-Security-Policy for pages. "/" is "/index.html"; pages are asked
// for again each time, files whose name holds a hash never. Immutable; any thread.
class StaticFiles {
 public:
  explicit StaticFiles(std::span<const Asset> assets);

  // For GET and HEAD. A path that is not there is answered 404: with a page for a browser that asks
  // for one, with JSON for others.
  Response answer(const Request& request) const;

  // Serves `files` at every path that no route has, as the router's fallback, so that an unknown
  // path stays 404 for every method. `files` outlives the router.
  static void install(Router& router, const StaticFiles& files);

 private:
  std::unordered_map<std::string_view, Asset> assets_;
};

}  // namespace parley::net
