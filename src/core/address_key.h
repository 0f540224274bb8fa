// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::core {

// The key under which limits count whoever sends from an address: an IPv4 address, the /64 of an
// IPv6 one (one customer has all of it), an unreadable text itself. Not for people to read.
std::string address_key(std::string_view address);

}  // namespace parley::core
