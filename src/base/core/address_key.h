// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::core {

// The key under which limits count the senders of an address: an IPv4 address, the /64 of an IPv6
// address (one customer owns all of it), an unreadable text as given. Not for display.
std::string address_key(std::string_view address);

}  // namespace parley::core
