// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/static_files.h"

#include <functional>
#include <set>
#include <utility>

#include "base/net/http/compression.h"
#include "base/net/http/http_gate.h"
#include "base/net/http/http_text.h"

namespace parley::net {
namespace {

constexpr std::string_view kIndex = "/index.html";
constexpr std::string_view kWorkerFile = "/sw.js";
constexpr std::string_view kKeepForAYear = "public, max-age=31536000, immutable";
constexpr std::string_view kKeepNowhere = "no-store";
constexpr std::string_view kAskEachTime = "no-cache";
// In the style of the page for a server that is not reachable (web/public/offline.css).
constexpr std::string_view kNotFoundPage =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
    "content=\"width=device-width, initial-scale=1\"><link rel=\"icon\" type=\"image/svg+xml\" "
    "href=\"/favicon.svg\"><link rel=\"stylesheet\" href=\"/offline.css\"><title>Page not found"
    "</title></head><body><main><h1>Page not found</h1><p>This address has no page. It may have "
    "been "
    "typed wrongly, or belong to another version.</p><section lang=\"zh-CN\"><h2>页面不存在</h2>"
    "<p>此地址没有页面：可能输入有误，或属于其他版本。</p></section><p><a href=\"/\">Open inbox "
    "<span lang=\"zh-CN\">打开收件箱</span></a></p></main></body></html>\n";

// One coding of an asset.
struct Form {
  std::string_view coding;  // Content-Encoding; empty: none
  std::string_view bytes;
  std::string etag;
};

Form choose_form(const Asset& asset, const Headers& headers) {
  const std::string tag(asset.etag);
  if (!asset.br.empty() && accepts_coding(headers, "br")) {
    return {"br", asset.br, "\"" + tag + "-br\""};
  }
  if (!asset.gzip.empty() && accepts_coding(headers, "gzip")) {
    return {"gzip", asset.gzip, "\"" + tag + "-gz\""};
  }
  return {{}, asset.identity, "\"" + tag + "\""};
}

// True if If-None-Match names `etag`; weak and strong tags compare alike (RFC 9110 section 13.1.2).
bool is_known(const Headers& headers, std::string_view etag) {
  bool known = false;
  for (const auto& [name, value] : headers.all()) {
    if (!equals_ignoring_case(name, "If-None-Match")) continue;
    each_list_item(value, [&](const ListItem& item) {
      std::string_view tag = item.token;
      if (tag.starts_with("W/")) tag.remove_prefix(2);
      known = known || tag == etag || tag == "*";
    });
  }
  return known;
}

bool is_page(std::string_view content_type) { return content_type.starts_with("text/html"); }

Response not_found(const Request& request) {
  if (!request.headers.lists("Accept", "text/html")) {
    return refusal(404, "There is nothing at " + request.path + ".");
  }
  Response response;
  response.status = 404;
  response.headers.add("Content-Type", "text/html; charset=utf-8");
  response.headers.add("Content-Security-Policy", std::string(kConsolePolicy));
  response.body = kNotFoundPage;
  return response;
}

// The first part of a path: "api" of "/api/v1/me".
std::string_view first_part(std::string_view path) {
  path.remove_prefix(1);
  return path.substr(0, path.find('/'));
}

// True if a browser opens the path as a page, not as a part of one. Browsers that send no
// Sec-Fetch-Dest name text/html in Accept only then.
bool is_navigation(const Request& request) {
  const std::string_view destination = request.headers.get("Sec-Fetch-Dest");
  if (destination.empty()) return request.headers.lists("Accept", "text/html");
  return destination == "document" || destination == "iframe";
}

// A dot in the last part is that of a missing file, unless a page is opened: the paths of a front
// end may end with an id that has dots.
bool may_be_page(const Request& request) {
  const std::string_view last = std::string_view(request.path).substr(request.path.rfind('/') + 1);
  if (last.find('.') == std::string_view::npos) return true;
  return !last.starts_with('.') && is_navigation(request);
}

Response to_console(const Request& request) {
  Response response;
  response.status = 302;
  response.headers.add("Location", std::string(kConsolePath) + "?" + request.query);
  response.headers.add("Cache-Control", std::string(kKeepNowhere));
  return response;
}

}  // namespace

StaticFiles::StaticFiles(std::span<const Asset> assets, std::string_view page_policy)
    : page_policy_(page_policy) {
  for (const Asset& asset : assets) assets_.emplace(asset.path, asset);
}

Response StaticFiles::answer(const Request& request) const {
  return answer(request, request.path == "/" ? kIndex : std::string_view(request.path));
}

Response StaticFiles::answer(const Request& request, std::string_view path) const {
  const auto found = assets_.find(path);
  if (found == assets_.end()) return not_found(request);
  const Asset& asset = found->second;
  const Form form = choose_form(asset, request.headers);
  Response response;
  response.headers.add("ETag", form.etag);
  // An answer to a link with a token must not be cached.
  const bool has_token = request.query_param("token").has_value();
  const std::string_view keep = asset.immutable ? kKeepForAYear : kAskEachTime;
  response.headers.add("Cache-Control", std::string(has_token ? kKeepNowhere : keep));
  if (!asset.br.empty() || !asset.gzip.empty()) response.headers.add("Vary", "Accept-Encoding");
  if (is_page(asset.content_type)) {
    response.headers.add("Content-Security-Policy", std::string(page_policy_));
    response.headers.add("Cross-Origin-Opener-Policy", "same-origin");
  } else if (path.ends_with(kWorkerFile)) {
    response.headers.add("Content-Security-Policy", std::string(kWorkerPolicy));
  }
  if (is_known(request.headers, form.etag)) {
    response.status = 304;
    return response;
  }
  response.headers.add("Content-Type", std::string(asset.content_type));
  if (!form.coding.empty()) response.headers.add("Content-Encoding", std::string(form.coding));
  response.shared_body = SharedBytes::of_program(form.bytes);
  return response;
}

void StaticFiles::install(Router& router, const StaticFiles& files) {
  router.set_fallback([&files](const Request& request, Responder responder) {
    const bool reads = request.method == "GET" || request.method == "HEAD";
    responder.send(reads ? files.answer(request) : not_found(request));
  });
}

void StaticFiles::install(Router& router, const StaticFiles& front_end,
                          const StaticFiles& console) {
  std::set<std::string, std::less<>> taken;
  router.each_route([&taken](std::string_view /*method*/, std::string_view pattern) {
    taken.emplace(first_part(pattern));
  });
  router.set_fallback([&front_end, &console, taken = std::move(taken)](const Request& request,
                                                                       Responder responder) {
    const std::string& path = request.path;
    const bool reads = request.method == "GET" || request.method == "HEAD";
    if (!reads || taken.contains(first_part(path))) return responder.send(not_found(request));
    if (path == kConsolePath || path + "/" == kConsolePath) {
      return responder.send(console.answer(request, kIndex));
    }
    if (path == "/" && request.query_param("token")) return responder.send(to_console(request));
    const std::string page = path.ends_with('/') ? path + std::string(kIndex.substr(1)) : path;
    if (front_end.has(page)) return responder.send(front_end.answer(request, page));
    if (path != kIndex && console.has(path)) return responder.send(console.answer(request));
    if (may_be_page(request)) return responder.send(front_end.answer(request, kIndex));
    responder.send(not_found(request));
  });
}

}  // namespace parley::net
