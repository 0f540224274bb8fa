// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text_port.h"

#include <string>
#include <system_error>

namespace parley::app {

core::Result<std::vector<SettingDefault>> defaults_of_text(
    const std::filesystem::path& program_folder, const mcp::UserPlaces& places) {
  std::error_code ignored;
  const std::filesystem::path beside = program_folder / mcp::kSettingsFile;
  const bool is_beside = !program_folder.empty() && std::filesystem::exists(beside, ignored);
  const core::Result<mcp::Settings> read =
      mcp::load_settings({}, places, is_beside ? beside.string() : std::string());
  if (!read) return core::fail(read.error());
  std::vector<SettingDefault> out;
  if (read->server.port) {
    out.push_back({"listen", ":" + std::to_string(*read->server.port), read->file});
  }
  return out;
}

}  // namespace parley::app
