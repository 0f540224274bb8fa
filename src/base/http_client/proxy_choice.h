// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::http_client {

// Reads a variable of an environment; null if it is not set.
using ReadVariable = const char* (*)(const char* name);

// The proxy that an environment names for requests of this scheme to this host, read as libcurl
// reads it: http_proxy (in lower case only) or https_proxy, HTTPS_PROXY, then all_proxy and
// ALL_PROXY, unless no_proxy or NO_PROXY names the host, one of its parent domains, or "*".
// Networks in no_proxy (10.0.0.0/8) are not understood: their hosts are reached through the proxy.
// Empty: no proxy, the connection is direct.
std::string proxy_of_environment(std::string_view scheme, std::string_view host,
                                 ReadVariable variable);

}  // namespace parley::http_client
