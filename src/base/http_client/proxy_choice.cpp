// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/http_client/proxy_choice.h"

#include <initializer_list>

namespace parley::http_client {
namespace {

std::string first_of(std::initializer_list<const char*> names, ReadVariable variable) {
  for (const char* name : names) {
    const char* value = variable(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

std::string as_compared(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  std::string out(host);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (out.ends_with('.')) out.pop_back();
  return out;
}

// True if an entry of no_proxy is the host or one of its parent domains.
bool names(std::string_view entry, std::string_view host) {
  if (entry.starts_with('.')) entry.remove_prefix(1);
  const std::string domain = as_compared(entry);
  if (domain.empty() || !host.ends_with(domain)) return false;
  return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

bool is_excepted(std::string_view list, const std::string& host) {
  if (list == "*") return true;
  while (!list.empty()) {
    const std::size_t end = list.find_first_of(", ");
    if (names(list.substr(0, end), host)) return true;
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return false;
}

}  // namespace

std::string proxy_of_environment(std::string_view scheme, std::string_view host,
                                 ReadVariable variable) {
  const bool secure = scheme == "https";
  std::string proxy = secure ? first_of({"https_proxy", "HTTPS_PROXY"}, variable)
                             : first_of({"http_proxy"}, variable);
  if (proxy.empty()) proxy = first_of({"all_proxy", "ALL_PROXY"}, variable);
  if (is_excepted(first_of({"no_proxy", "NO_PROXY"}, variable), as_compared(host))) return {};
  return proxy;
}

}  // namespace parley::http_client
