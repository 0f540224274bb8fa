// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "net/http/http.h"

namespace parley::net {

class HttpConnection;

// The Responder of one request: the way back to its connection, which may be gone by the time that
// the handler answers. `serial` names the request, so that a late answer never meets another one.
Responder make_responder(std::weak_ptr<HttpConnection> connection, std::uint64_t serial,
                         core::Scheduler& scheduler);

}  // namespace parley::net
