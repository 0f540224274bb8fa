// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "programs/typing/x_display.h"

namespace parley::typing {

struct Window {
  std::uint32_t id = 0;
  std::string title;  // UTF-8
};

// The windows of programs, as the window manager lists them; without a window manager, the visible
// ones with a title.
std::vector<Window> list_windows(XDisplay& display);
// Brings a window to the front and gives it the focus. Errors: `not_found`, `unavailable` (it did
// not come to the front in time).
core::Result<void> activate_window(XDisplay& display, std::uint32_t id);

}  // namespace parley::typing
