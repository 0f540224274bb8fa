// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::certificate {

// Most names and addresses of one certificate; further ones are left out.
// Limit (Tokens): names and addresses in the certificate of `--tls auto`. Reached: left out.
inline constexpr std::size_t kMaxSubjects = 100;

// The names and addresses that a server certificate covers (subjectAltName), each once.
struct Subjects {
  std::vector<std::string> names;      // DNS names, lower case
  std::vector<std::string> addresses;  // numeric

  // Adds a DNS name or a numeric address; ignores text that is neither, a wildcard address
  // (0.0.0.0,
  // ::), and everything beyond kMaxSubjects.
  void add(std::string_view host);
};

// A DNS name in lower case, without a final dot: labels of letters, digits and hyphens.
// std::nullopt: no such name.
std::optional<std::string> dns_name(std::string_view text);

// localhost and the loopback addresses, the host name, HOST.local, the addresses of all interfaces
// that are up, and `more` hosts. Any thread; a few system calls.
Subjects subjects_of_this_computer(const std::vector<std::string>& more);

}  // namespace parley::certificate
