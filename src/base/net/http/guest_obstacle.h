// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/core/guest_obstacle.h"
#include "base/net/http/http.h"

namespace parley::net {

// std::nullopt: the request came directly from a program or a page of this computer. A request
// through a proxy on this computer is recognised by its fields, by a Host that is not of this
// computer, or by HTTP/1.0, the default of many proxies. A page of another site is recognised by
// Sec-Fetch-Site without an Origin; a request with an Origin that is not allowed was refused
// before.
std::optional<core::GuestObstacle> guest_obstacle(const Request& request);

}  // namespace parley::net
