// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/net/http/http.h"

namespace parley::net {

// One file of a bundle in the program. The views are valid as long as the program.
struct Asset {
  std::string_view path;  // "/assets/index-1a2b3c.js"
  std::string_view content_type;
  std::string_view identity;  // uncompressed content
  std::string_view gzip;      // empty: there is none
  std::string_view br;        // empty: there is none
  std::string_view etag;      // a hash of the content, without quotes: "5f2c..."
  bool immutable = false;     // the name contains a hash of the content: cached for a year
};

// The Content-Security-Policy of the console: scripts, styles and fonts come from files of this
// server only, and nothing may frame the page. In browsers 'self' includes the WebSocket of the
// same host.
inline constexpr std::string_view kConsolePolicy =
    "default-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

// The policy of a service worker's script. It applies to the worker's own requests, which fetch
// files from this server and send answers to it.
inline constexpr std::string_view kWorkerPolicy =
    "default-src 'none'; connect-src 'self'; frame-ancestors 'none'";

// The policy of a front end, which may have an editor and a ComfyUI in a frame: allows inline
// styles, own workers, and images, frames and connections of other hosts. Scripts come only from
// files of this server, so that markup written by a model cannot run. The page's own inline scripts
// can be added by their hashes.
inline constexpr std::string_view kFrontEndPolicy =
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "font-src 'self' data:; img-src 'self' data: blob: http: https:; "
    "media-src 'self' data: blob: http: https:; connect-src 'self' http: https: ws: wss:; "
    "frame-src 'self' blob: http: https:; worker-src 'self' blob:; object-src 'none'; "
    "base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

// The path of the console if a front end is served at "/".
inline constexpr std::string_view kConsolePath = "/console/";

// Serves a bundle of files: the client's preferred coding (br, gzip, none), 304 for cached content,
// a Content-Security-Policy for pages and service workers (files named "sw.js"). "/" is
// "/index.html". Pages are revalidated at each use, immutable files never. Immutable; any thread.
class StaticFiles {
 public:
  // `page_policy` outlives this object.
  explicit StaticFiles(std::span<const Asset> assets,
                       std::string_view page_policy = kConsolePolicy);

  bool has(std::string_view path) const { return assets_.contains(path); }
  // Answers GET and HEAD. An unknown path gets 404: a page if Accept names text/html, JSON
  // otherwise.
  Response answer(const Request& request) const;
  // The same for `path` in place of the request's path.
  Response answer(const Request& request, std::string_view path) const;

  // Serves `files` as the router's fallback, at every path without a route; an unknown path is 404
  // for every method. `files` outlives the router.
  static void install(Router& router, const StaticFiles& files);

  // Serves the files of a front end, then those of the console, then the front end's "/index.html"
  // for any path without a dot in its last part and, if a browser opens it as a page, for one with
  // a dot that does not begin that part. The console's page is at kConsolePath; "/?token=",
  // a link to the console, redirects there. A path whose first part is that of a route ("/api/...")
  // is 404. Call after all routes are added; both objects outlive the router.
  static void install(Router& router, const StaticFiles& front_end, const StaticFiles& console);

 private:
  const std::string_view page_policy_;
  std::unordered_map<std::string_view, Asset> assets_;
};

}  // namespace parley::net
