// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/net/http/http.h"

namespace parley::link {

// The request as the home reads it: HTTP/1.1, without the fields that concern one connection. HEAD
// becomes GET, whose answer tells the length that HEAD has to give.
std::string wire_of(const net::Request& request);
// The same of the handshake of a WebSocket. `compresses`: with what the client offers for
// compression.
std::string handshake_of(const net::Request& request, bool compresses = true);

// 503 with Retry-After: the home has not got the request.
net::Response home_unreached(std::string sentence);
// 502: the home may have done what was asked.
net::Response home_broken(std::string sentence);

}  // namespace parley::link
