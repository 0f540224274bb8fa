// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/net/http/origin_policy.h"

namespace parley::net {

// The whole answer to a request that arrived without TLS on a TLS port: 307 to the same target with
// https for GET and HEAD with a Host of this server, 421 for another Host, else 400. The connection
// is closed behind it. `head`: the received bytes, complete or not. Nothing of the request is
// logged, and a Host that is not of this server is not repeated.
std::string https_redirect(std::string_view head, const OriginPolicy& policy);

}  // namespace parley::net
