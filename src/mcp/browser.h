// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parley::mcp {

// Opens `url` with xdg-open, without a shell and without waiting for it. The program inherits
// neither stdin nor stdout. False if it could not be started.
bool open_browser(const std::string& url);

}  // namespace parley::mcp
