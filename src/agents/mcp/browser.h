// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/core/clock.h"

namespace parley::mcp {

// Opens `url` with xdg-open, without a shell and without waiting for it. The program inherits
// neither stdin nor stdout. False if it could not be started.
bool open_browser(const std::string& url);

// The same for a command that ends afterwards: watches xdg-open for at most `patience`. False if it
// could not be started, or has failed by then; it may outlive the watch, as may the browser.
bool open_browser(const std::string& url, core::Millis patience);

}  // namespace parley::mcp
