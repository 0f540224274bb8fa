// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/cli/finding.h"
#include "app/cli/server_state.h"
#include "app/server/settings.h"
#include "base/core/clock.h"

namespace parley::app {

// The mode of TLS: that of the running server, which may have been started with flags, else that of
// the settings. A warning if the certificate ends within 14 days, or, by these settings, lacks a
// current name or address of this computer; a fault if a file is missing or broken so that the
// server cannot start, and a warning if it can. Changes no file.
std::vector<Finding> check_tls(const ServerState& state, const Settings& settings,
                               core::WallTime now);

}  // namespace parley::app
