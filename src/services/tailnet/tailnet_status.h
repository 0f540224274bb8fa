// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "services/tailnet/tailnet_fault.h"

namespace parley::tailnet {

// Addresses of this computer that are used; Tailscale gives one of each family.
// Limit (The tailnet): addresses of this computer in its tailnet. Reached: further ones are not
// used.
inline constexpr std::size_t kMaxTailnetAddresses = 4;

// This computer in its tailnet.
struct TailnetSelf {
  std::string name;                    // "desk.tail1234.ts.net"
  std::vector<std::string> addresses;  // numeric, at least one; the first is IPv4 if there is one
};

// Reads the answer of `tailscale status --json`. A fault unless this computer is connected, has an
// interface of its own for the tailnet, a host name, an address of a tailnet, and the tailnet
// issues certificates for the name.
Found<TailnetSelf> read_status(std::string_view json);

// True for an address on which it is safe to listen for a tailnet: 100.64.0.0/10,
// fd7a:115c:a1e0::/48, or loopback.
bool is_tailnet_address(std::string_view address);

}  // namespace parley::tailnet
