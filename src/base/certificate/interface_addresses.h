// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace parley::certificate {

// Most addresses that are read from the interfaces; further ones are ignored.
// Limit (Tokens): addresses of interfaces in the certificate of `--tls auto`. Reached: left out.
inline constexpr std::size_t kMaxInterfaceAddresses = 64;

// A numeric address of a network interface.
struct InterfaceAddress {
  std::string text;  // "192.168.1.5", "2001:db8::5"
  bool v6 = false;
  bool loopback = false;
};

// The addresses of all interfaces that are up, IPv4 first, each once, in the order of the kernel.
// Link-local IPv6 addresses are left out: no browser opens them. Empty if the kernel does not
// answer. Any thread; a few system calls.
std::vector<InterfaceAddress> interface_addresses();

// The host name of this computer in lower case, "computer" if it has none that a certificate may
// hold.
std::string host_name();

// "HOST.local", the name by which other devices find this computer (mDNS), for the first label of a
// host name.
std::string local_name(const std::string& host);

}  // namespace parley::certificate
