// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/certificate/interface_addresses.h"
#include "base/core/clock.h"

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
  // The origin under which devices reach the server from anywhere; empty: none is known.
  void set_away(std::string origin);
  // How the server was started: "none", "user" or "system", see app/server/service_kind.h.
  void set_service(std::string_view kind);
  TlsFacts facts() const;
  std::string away() const;
  std::uint16_t port() const;
  std::string service() const;
  // away() if there is one, then outside_origins() at this moment. A few system calls.
  std::vector<std::string> origins() const;
  // The first of origins(), for links in notices; `local` if other devices reach none.
  std::string link_origin(const std::string& local) const;

 private:
  mutable std::mutex mutex_;
  TlsFacts facts_;
  ListenAddress at_;
  std::string away_;
  std::string service_ = "none";
};

}  // namespace parley::certificate
