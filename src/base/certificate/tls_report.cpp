// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/certificate/tls_report.h"

#include <algorithm>
#include <utility>

namespace parley::certificate {

std::string_view mode_name(TlsMode mode) {
  if (mode == TlsMode::off) return "off";
  return mode == TlsMode::automatic ? "auto" : "own";
}

std::vector<std::string> outside_origins(TlsMode mode, const ListenAddress& at,
                                         const std::vector<InterfaceAddress>& addresses,
                                         const std::string& host) {
  if (at.loopback) return {};
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    const bool v6 = name.find(':') != std::string::npos;
    out.push_back((mode == TlsMode::off ? "http://" : "https://") + (v6 ? "[" + name + "]" : name) +
                  ":" + std::to_string(at.port));
  };
  const bool any_v4 = at.host == "0.0.0.0";
  const bool any = any_v4 || at.host == "::";
  if (!any) add(at.host);
  for (const InterfaceAddress& address : addresses) {
    if (any && !address.loopback && !(any_v4 && address.v6)) add(address.text);
  }
  if (any) add(local_name(host));
  return out;
}

void TlsReport::set(TlsFacts facts) {
  const std::scoped_lock lock(mutex_);
  facts_ = std::move(facts);
}

void TlsReport::set_address(ListenAddress at) {
  const std::scoped_lock lock(mutex_);
  at_ = std::move(at);
}

void TlsReport::set_away(std::string origin) {
  const std::scoped_lock lock(mutex_);
  away_ = std::move(origin);
}

void TlsReport::set_service(std::string_view kind) {
  const std::scoped_lock lock(mutex_);
  service_ = kind;
}

std::string TlsReport::service() const {
  const std::scoped_lock lock(mutex_);
  return service_;
}

std::uint16_t TlsReport::port() const {
  const std::scoped_lock lock(mutex_);
  return at_.port;
}

std::string TlsReport::away() const {
  const std::scoped_lock lock(mutex_);
  return away_;
}

TlsFacts TlsReport::facts() const {
  const std::scoped_lock lock(mutex_);
  return facts_;
}

std::vector<std::string> TlsReport::origins() const {
  ListenAddress at;
  TlsMode mode = TlsMode::off;
  std::string away;
  {
    const std::scoped_lock lock(mutex_);
    at = at_;
    mode = facts_.mode;
    away = away_;
  }
  std::vector<std::string> out;
  if (!at.loopback) out = outside_origins(mode, at, interface_addresses(), host_name());
  if (away.empty()) return out;
  out.erase(std::remove(out.begin(), out.end(), away), out.end());
  out.insert(out.begin(), std::move(away));
  return out;
}

std::string TlsReport::link_origin(const std::string& local) const {
  const std::vector<std::string> all = origins();
  return all.empty() ? local : all.front();
}

}  // namespace parley::certificate
