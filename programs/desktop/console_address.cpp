// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/console_address.h"

#include <algorithm>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/loopback.h"
#include "base/core/percent.h"
#include "base/core/result.h"
#include "base/http_client/url.h"

namespace parley::desktop {
namespace {

constexpr std::string_view kSchemeEnd = "://";

auto bad_address() {
  return core::fail(core::Code::invalid_argument,
                    "The address must be that of a Parley server, for example "
                    "http://127.0.0.1:22080.",
                    "url");
}

std::string with_scheme(std::string_view typed) {
  if (typed.find(kSchemeEnd) != std::string_view::npos) return std::string(typed);
  const std::string_view host = typed.starts_with('[')
                                    ? typed.substr(0, typed.find(']') + 1)
                                    : typed.substr(0, typed.find_first_of(":/?#"));
  return (core::is_loopback_host(host) ? "http://" : "https://") + std::string(typed);
}

// The value of `token` in a query; empty if there is none.
std::string token_in(std::string_view query) {
  constexpr std::string_view kName = "token=";
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (!part.starts_with(kName)) continue;
    return core::percent_decoded(part.substr(kName.size()), core::Plus::space).value_or("");
  }
  return {};
}

std::string_view behind(std::string_view text, char mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
}

}  // namespace

core::Result<ServerAddress> read_server_link(std::string_view typed) {
  typed = core::trimmed(typed);
  if (typed.empty() || typed.find_first_of(" \t\r\n\\") != std::string_view::npos) {
    return bad_address();
  }
  const std::string whole = with_scheme(typed);
  const std::string_view fragment = behind(whole, '#');
  const std::string_view front = std::string_view(whole).substr(0, whole.find('#'));
  ServerAddress link;
  link.token = token_in(behind(fragment, '?'));
  if (link.token.empty()) link.token = token_in(behind(front, '?'));
  link.url = front.substr(0, front.find('?'));
  while (link.url.ends_with('/')) link.url.pop_back();
  const auto parts = http_client::split_url(link.url);
  if (!parts) return bad_address();
  return link;
}

std::string sign_in_link(std::string_view url, std::string_view token) {
  return std::string(url) + "/#/inbox?token=" + core::percent_encoded(token);
}

bool contains_token(std::string_view address) {
  return address.find("?token=") != std::string_view::npos;
}

std::string item_link(std::string_view url, std::string_view key) {
  return std::string(url) + "/#/inbox/item/" + core::percent_encoded(key);
}

// With gen=3 the server sends reports once, as WorkReport, and the text of a question without its
// choices.
std::string websocket_url(std::string_view url) {
  const std::size_t host = url.find(kSchemeEnd) + kSchemeEnd.size();
  const std::string_view origin = url.substr(0, url.find('/', host));
  const bool tls = origin.starts_with("https:");
  return (tls ? "wss" : "ws") + std::string(origin.substr(origin.find(':'))) + "/ws?gen=3";
}

bool same_origin(std::string_view url, std::string_view other) {
  const auto one = http_client::split_url(std::string(url));
  const auto two = http_client::split_url(std::string(other));
  return one && two && one->origin() == two->origin();
}

}  // namespace parley::desktop
