// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/http_client/url.h"

#include <new>

#include "base/core/ascii.h"
#include "base/core/result.h"
#include "base/http_client/curl_handles.h"

namespace parley::http_client {
namespace {

UrlHandle new_url() {
  UrlHandle url(curl_url());
  if (!url) throw std::bad_alloc();
  return url;
}

tl::unexpected<core::Error> unreadable(const char* why) {
  return core::fail(core::Code::invalid_argument, why, "url");
}

}  // namespace

core::Result<UrlParts> split_url(const std::string& url) {
  if (core::has_nul(url)) return unreadable("The URL must not have a NUL character.");
  const UrlHandle handle = new_url();
  if (curl_url_set(handle.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) {
    return unreadable("The URL cannot be read.");
  }
  UrlParts parts;
  parts.scheme = url_part(handle.get(), CURLUPART_SCHEME);
  if (parts.scheme != "http" && parts.scheme != "https") {
    return unreadable("The URL must begin with http:// or https://.");
  }
  if (!url_part(handle.get(), CURLUPART_USER).empty() ||
      !url_part(handle.get(), CURLUPART_PASSWORD).empty()) {
    return unreadable("The URL must not contain a user or a password.");
  }
  parts.host = core::lowered(url_part(handle.get(), CURLUPART_HOST));
  parts.port = url_part(handle.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (parts.host.empty()) return unreadable("The URL has no host.");
  return parts;
}

core::Result<std::string> resolve_url(const std::string& base, const std::string& reference) {
  if (core::has_nul(reference)) return unreadable("The URL must not have a NUL character.");
  const UrlHandle handle = new_url();
  if (curl_url_set(handle.get(), CURLUPART_URL, base.c_str(), 0) != CURLUE_OK ||
      curl_url_set(handle.get(), CURLUPART_URL, reference.c_str(), 0) != CURLUE_OK) {
    return unreadable("The URL cannot be read.");
  }
  std::string url = url_part(handle.get(), CURLUPART_URL);
  PARLEY_TRY_VOID(split_url(url));
  return url;
}

}  // namespace parley::http_client
