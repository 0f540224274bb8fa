// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"

namespace parley::desktop {

// A server as a person enters it: its address, or the link that `parley serve` prints.
struct ServerAddress {
  std::string url;    // the console's address: no query, no fragment, no slash at the end
  std::string token;  // empty: the link has none
};

// Reads an address without a scheme too: http for this computer, https for others. Errors:
// `invalid_argument`; no message contains the token.
core::Result<ServerAddress> read_server_link(std::string_view typed);

// The functions below require a URL from read_server_link().

// The link that signs the console in. Contains the token, so treat it as a secret. The token is in
// the fragment, which browsers do not send. The console removes it from the address;
// contains_token() is false from then on.
std::string sign_in_link(std::string_view url, std::string_view token);
bool contains_token(std::string_view address);
// The permalink of a question or a report.
std::string item_link(std::string_view url, std::string_view key);
std::string websocket_url(std::string_view url);

// True if `other` is an http or https URL of the same scheme, host and port.
bool same_origin(std::string_view url, std::string_view other);

}  // namespace parley::desktop
