// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::net {

// The whole answer to a request that arrived without TLS on a TLS port: 307 to the same target with
// https for GET and HEAD with a valid Host, else 400. The connection is closed behind it. `head`:
// the received bytes, complete or not. Nothing of the request is logged.
std::string https_redirect(std::string_view head);

}  // namespace parley::net
