// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <tl/expected.hpp>

#include "base/core/error.h"
#include "base/core/result.h"
#include "tools/conformance/channel.h"

namespace parley::conformance {

// `unavailable`, with the system's description of the error number.
tl::unexpected<core::Error> broken(std::string_view what, int error);

// Waits for events of poll(2) on a descriptor. Errors: `deadline_exceeded`, `unavailable`.
core::Result<void> wait_for(int fd, short events, Deadline deadline);

}  // namespace parley::conformance
