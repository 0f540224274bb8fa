// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "net/http/static_files.h"

namespace parley::net {

// The console (web/dist) as it was when the program was built; a page that says how to build it,
// if it was not there. Made by cmake/ParleyAssets.cmake.
std::span<const Asset> console_assets();

}  // namespace parley::net
