// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parley::core {

// "localhost" and the names below it, such as "app.localhost" (RFC 6761 section 6.3), without a
// port and without a final dot. ASCII case does not matter.
bool is_loopback_name(std::string_view host);

// An address that only this computer reaches: 127.0.0.0/8, ::1, or one of 127.0.0.0/8 mapped to
// IPv6 (::ffff:127.0.0.1). An IPv6 address may have brackets. False for a name.
bool is_loopback_address(std::string_view host);

// True for a loopback name or a loopback address.
bool is_loopback_host(std::string_view host);

}  // namespace parley::core
