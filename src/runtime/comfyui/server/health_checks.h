// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/comfyui/server/server_registry.h"

namespace parley::comfyui {

// Age at which a status is checked again.
// Limit (ComfyUI servers and their tools): age of HEALTHY at which a read begins a check. Reached:
// checked without delaying the read.
inline constexpr core::Millis kHealthyAge{60'000};
// Limit (ComfyUI servers and their tools): age of another healthStatus. Reached: checked without
// delaying the read.
inline constexpr core::Millis kUnhealthyAge{5'000};  // shorter: the server may be starting
// Limit of one check, unless the server's own timeout is shorter.
// Limit (ComfyUI servers and their tools): a health check, one at a time of a server. Reached:
// UNHEALTHY.
inline constexpr core::Millis kHealthCheckTime{10'000};

// A registry that keeps the health of the enabled servers of `inner` current: each is asked for its
// /system_stats at the start, and when a read finds its status older than the ages above or
// missing. A read never waits; it returns the last status. At most one check of a server is open,
// on a thread of the registry. The destructor cancels open checks and waits for their end. The
// references must outlive the registry.
std::unique_ptr<ServerRegistry> with_health_checks(std::unique_ptr<ServerRegistry> inner,
                                                   http_client::Fetcher& fetcher,
                                                   core::Entropy& entropy,
                                                   const core::Clock& clock);

}  // namespace parley::comfyui
