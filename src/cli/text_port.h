// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "core/result.h"
#include "mcp/settings.h"
#include "server/config.h"

namespace parley::app {

// The default port that `agentassistant-srv` takes from the settings file of `agentassistant-mcp`,
// as the text of the protocol says, so that both meet without a flag on either command line. The
// file is the first that exists of agentassistant-mcp.toml in `program_folder`, and of the places
// where agentassistant-mcp itself looks. Empty: there is no such file, or it names no port. The
// host of the file is where clients reach the server, not where it listens, and is not taken.
// Errors: those of mcp::load_settings().
core::Result<std::vector<SettingDefault>> defaults_of_text(
    const std::filesystem::path& program_folder, const mcp::UserPlaces& places);

}  // namespace parley::app
