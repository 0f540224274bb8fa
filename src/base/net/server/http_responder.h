// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "base/net/http/http.h"

namespace parley::net {

class HttpConnection;

// The Responder of one request. The connection may be gone when the handler answers. `serial`
// identifies the request, so that a late answer never goes to another one.
Responder make_responder(std::weak_ptr<HttpConnection> connection, std::uint64_t serial,
                         core::Scheduler& scheduler);

}  // namespace parley::net
