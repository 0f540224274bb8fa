// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/certificate/subjects.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "base/certificate/interface_addresses.h"

namespace parley::certificate {
namespace {

constexpr std::size_t kMaxNameBytes = 253;
constexpr std::size_t kMaxLabelBytes = 63;

bool is_label(std::string_view label) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !label.empty() && label.size() <= kMaxLabelBytes && label.front() != '-' &&
         label.back() != '-' && std::all_of(label.begin(), label.end(), fits);
}

// The address in its shortest form, which is that of interface_addresses(); std::nullopt: no
// address.
std::optional<std::string> numeric_address(std::string_view text) {
  const std::string terminated(text);
  for (const int family : {AF_INET, AF_INET6}) {
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    std::array<char, INET6_ADDRSTRLEN> out{};
    if (::inet_pton(family, terminated.c_str(), bytes.data()) == 1 &&
        ::inet_ntop(family, bytes.data(), out.data(), out.size()) != nullptr) {
      return std::string(out.data());
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> dns_name(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty() || text.size() > kMaxNameBytes || numeric_address(text)) return std::nullopt;
  std::string out;
  for (const char c : text) out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c);
  for (std::string_view rest = out;;) {
    const std::size_t dot = rest.find('.');
    if (!is_label(rest.substr(0, dot))) return std::nullopt;
    if (dot == std::string_view::npos) return out;
    rest.remove_prefix(dot + 1);
  }
}

void Subjects::add(std::string_view host) {
  if (host == "0.0.0.0" || host == "::" || names.size() + addresses.size() >= kMaxSubjects) return;
  const std::optional<std::string> address = numeric_address(host);
  const std::optional<std::string> one = address ? address : dns_name(host);
  if (!one) return;
  std::vector<std::string>& list = address ? addresses : names;
  if (std::find(list.begin(), list.end(), *one) == list.end()) list.push_back(*one);
}

Subjects subjects_of_this_computer(const std::vector<std::string>& more) {
  Subjects out;
  const std::string host = host_name();
  for (const std::string& name : {std::string("localhost"), host, local_name(host)}) out.add(name);
  for (const char* address : {"127.0.0.1", "::1"}) out.add(address);
  for (const std::string& one : more) out.add(one);
  for (const InterfaceAddress& one : interface_addresses()) out.add(one.text);
  return out;
}

}  // namespace parley::certificate
