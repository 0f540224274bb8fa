// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "core/result.h"

namespace parley::app {

// Reports the coding agents of this computer and their settings, as GET /v1/setup answers. The
// function blocks on files and may be called on any thread.
std::function<core::Result<std::string>()> setup_report();

}  // namespace parley::app
