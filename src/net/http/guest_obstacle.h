// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/guest_obstacle.h"
#include "net/http/http.h"

namespace parley::net {

// std::nullopt: the request came straight from a program or a page of this computer. A request
// that a proxy handed on comes from this computer too: it is known by its fields, by a Host that is
// not of this computer, or by HTTP/1.0, which proxies speak unless told otherwise. A page of
// another site is known by Sec-Fetch-Site without an Origin; one with an Origin that is not
// allowed has been refused before.
std::optional<core::GuestObstacle> guest_obstacle(const Request& request);

}  // namespace parley::net
