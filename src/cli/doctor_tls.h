// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/finding.h"
#include "core/clock.h"
#include "server/settings.h"

namespace parley::app {

// The mode of TLS; a warning if the certificate ends within 14 days or lacks a current name or
// address of this computer; a fault if a file is missing or broken so that the server cannot start,
// and a warning if it can. Changes no file.
std::vector<Finding> check_tls(const Settings& settings, core::WallTime now);

}  // namespace parley::app
