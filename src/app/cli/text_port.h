// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "agents/mcp/settings.h"
#include "app/server/config.h"
#include "base/core/result.h"

namespace parley::app {

// The default port of `agentassistant-srv`, read from the settings file of `agentassistant-mcp` as
// the text of the protocol prescribes, so that both connect without flags. The file is the first
// that exists of agentassistant-mcp.toml in `program_folder` and in the places where
// agentassistant-mcp looks. Empty: no such file, or no port in it. The host in the file is the
// address of the server for clients, not its listen address, and is ignored. Errors: those of
// mcp::load_settings().
core::Result<std::vector<SettingDefault>> defaults_of_text(
    const std::filesystem::path& program_folder, const mcp::UserPlaces& places);

}  // namespace parley::app
