// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string_view>

namespace parley::http_client {

// Whether an address is one of the public internet: not of this computer, of a private or local
// network, of a link, for multicast, or reserved. An IPv6 address that stands for an IPv4 one is
// what that one is.
bool is_public_address(const sockaddr& address);

// The same for a host that is written as an address, with or without brackets; nullopt for a name.
std::optional<bool> is_public_literal(std::string_view host);

// Whether a name can only mean something in this computer or its network: "localhost", a name
// without a dot, and what ends in .localhost, .local, .internal, .home.arpa and the like.
bool is_local_name(std::string_view host);

}  // namespace parley::http_client
