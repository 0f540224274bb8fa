// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "http_client/url.h"

#include <curl/curl.h>

#include <cctype>
#include <memory>
#include <new>

namespace parley::http_client {
namespace {

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, FreeUrl>;

struct FreeText {
  void operator()(char* text) const { curl_free(text); }
};

Url new_url() {
  Url url(curl_url());
  if (!url) throw std::bad_alloc();
  return url;
}

std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, FreeText> owned(text);
  return text;
}

tl::unexpected<core::Error> unreadable(const char* why) {
  return core::fail(core::Code::invalid_argument, why, "url");
}

}  // namespace

core::Result<UrlParts> split_url(const std::string& url) {
  const Url handle = new_url();
  if (curl_url_set(handle.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) {
    return unreadable("The URL cannot be read.");
  }
  UrlParts parts;
  parts.scheme = part_of(handle.get(), CURLUPART_SCHEME);
  if (parts.scheme != "http" && parts.scheme != "https") {
    return unreadable("The URL is neither http nor https.");
  }
  if (!part_of(handle.get(), CURLUPART_USER).empty() ||
      !part_of(handle.get(), CURLUPART_PASSWORD).empty()) {
    return unreadable("The URL has a user or a password in it.");
  }
  parts.host = part_of(handle.get(), CURLUPART_HOST);
  for (char& c : parts.host) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  parts.port = part_of(handle.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (parts.host.empty()) return unreadable("The URL names no host.");
  return parts;
}

core::Result<std::string> resolve_url(const std::string& base, const std::string& reference) {
  const Url handle = new_url();
  if (curl_url_set(handle.get(), CURLUPART_URL, base.c_str(), 0) != CURLUE_OK ||
      curl_url_set(handle.get(), CURLUPART_URL, reference.c_str(), 0) != CURLUE_OK) {
    return unreadable("The URL cannot be read.");
  }
  std::string url = part_of(handle.get(), CURLUPART_URL);
  if (auto parts = split_url(url); !parts) return core::fail(parts.error());
  return url;
}

}  // namespace parley::http_client
