// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "certificate/interface_addresses.h"
#include "core/clock.h"

namespace parley::certificate {

enum class TlsMode : std::uint8_t {
  off,
  automatic,  // a certificate of the server's own authority
  own,        // a certificate of the operator
};
std::string_view mode_name(TlsMode mode);  // "off", "auto", "own"

// Public facts about the TLS of a server.
struct TlsFacts {
  TlsMode mode = TlsMode::off;
  std::string host;                          // host name of this computer
  std::string authority_der;                 // the authority's certificate; empty unless automatic
  std::string fingerprint;                   // as Authority::fingerprint(); empty unless automatic
  std::optional<core::WallTime> expires_at;  // end of the server's certificate
  std::optional<core::WallTime> authority_expires_at;
};

// The address on which a server listens.
struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;
  bool loopback = true;
};

// The origins under which other devices reach a server: its listening address, or for 0.0.0.0 and
// :: the `addresses` that are no loopback, IPv4 first, then HOST.local. Empty for a loopback
// address.
std::vector<std::string> outside_origins(TlsMode mode, const ListenAddress& at,
                                         const std::vector<InterfaceAddress>& addresses,
                                         const std::string& host);

// The TLS of a running server, for the routes that show it. Thread-safe.
class TlsReport {
 public:
  void set(TlsFacts facts);
  void set_address(ListenAddress at);
  TlsFacts facts() const;
  // outside_origins() at this moment. A few system calls.
  std::vector<std::string> origins() const;

 private:
  mutable std::mutex mutex_;
  TlsFacts facts_;
  ListenAddress at_;
};

}  // namespace parley::certificate
