// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string_view>

namespace parley::http_client {

// True if an address is part of the public internet: not of this computer, of a private or local
// network or link, multicast, or reserved. An IPv4-mapped IPv6 address is judged by its IPv4
// address.
bool is_public_address(const sockaddr& address);

// The same for a host written as an address, with or without brackets; nullopt for a name.
std::optional<bool> is_public_literal(std::string_view host);

// True if a name can only denote this computer or a host in its network: "localhost", a name
// without a dot, and names below .localhost, .local, .internal, .home.arpa and the like.
bool is_local_name(std::string_view host);

}  // namespace parley::http_client
