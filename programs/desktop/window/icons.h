// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "programs/desktop/desktop_state.h"

namespace parley::desktop {

inline constexpr const char* kAppIcon = "org.parley.Desktop";

// Writes the icons of the program into a folder of this login and makes GTK find them by name.
// Returns the folder, which a tray of another process reads too. Call once GTK has a display.
std::string install_icons();

// The mark in one of its states: parley-connected, parley-asking, parley-offline.
const char* icon_of(TrayState state);

}  // namespace parley::desktop
