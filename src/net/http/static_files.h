// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "net/http/http.h"

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

// The Content-Security-Policy of the console: scripts, styles and fonts come from files of this
// server only, and nothing may frame the page. A browser's own form of 'self' covers the WebSocket
// of the same host.
inline constexpr std::string_view kConsolePolicy =
    "default-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

// That of pages that were written elsewhere, for a front end with an editor and a ComfyUI in a
// frame: inline styles, workers of its own, pictures, frames and connections of other hosts.
// Scripts come from files of this server all the same, so that what a model writes does not run.
inline constexpr std::string_view kFrontEndPolicy =
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "font-src 'self' data:; img-src 'self' data: blob: http: https:; "
    "media-src 'self' data: blob: http: https:; connect-src 'self' http: https: ws: wss:; "
    "frame-src 'self' blob: http: https:; worker-src 'self' blob:; object-src 'none'; "
    "base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

// The path of the console while a front end has the place at "/".
inline constexpr std::string_view kConsolePath = "/console/";

// Serves a bundle of files: the form that the client takes best (br, gzip, as it is), 304 for what
// it has already, a strict Content-Security-Policy for pages. "/" is "/index.html"; pages are asked
// for again each time, files whose name holds a hash never. Immutable; any thread.
class StaticFiles {
 public:
  // `page_policy` outlives this.
  explicit StaticFiles(std::span<const Asset> assets,
                       std::string_view page_policy = kConsolePolicy);

  bool has(std::string_view path) const { return assets_.contains(path); }
  // For GET and HEAD. A path that is not there is answered 404: with a page for a browser that asks
  // for one, with JSON for others.
  Response answer(const Request& request) const;
  // The same with another path than that of the request.
  Response answer(const Request& request, std::string_view path) const;

  // Serves `files` at every path that no route has, as the router's fallback, so that an unknown
  // path stays 404 for every method. `files` outlives the router.
  static void install(Router& router, const StaticFiles& files);

  // Serves the files of a front end, and its "/index.html" for any other path without a dot in its
  // last part; the console is at kConsolePath, and its files where no file of the front end is.
  // "/?token=", a link to the console, leads there. Nothing below the first part of a route's path
  // ("/api/...") is a page. Called when all routes are there; both outlive the router.
  static void install(Router& router, const StaticFiles& front_end, const StaticFiles& console);

 private:
  const std::string_view page_policy_;
  std::unordered_map<std::string_view, Asset> assets_;
};

}  // namespace parley::net
