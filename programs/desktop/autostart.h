// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"

namespace parley::desktop {

// $XDG_CONFIG_HOME/autostart/org.parley.Desktop.desktop; empty without a home folder.
std::string autostart_file();

// Writes or removes the entry with which `program`, an absolute path, starts hidden at login.
// Errors: as core::write_private_file().
core::Result<void> set_autostart(const std::string& file, std::string_view program, bool on);

}  // namespace parley::desktop
