// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/autostart.h"

#include <filesystem>
#include <system_error>

#include "agents/mcp/settings.h"
#include "base/core/private_files.h"
#include "base/core/result.h"

namespace parley::desktop {
namespace {

namespace fs = std::filesystem;

// An argument of an Exec line, quoted as the Desktop Entry Specification says. The file's own
// escaping doubles the backslashes once more.
std::string exec_argument(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '`' || c == '$') out += "\\\\";
    if (c == '\\') out += "\\\\\\";
    if (c == '%') out += '%';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string autostart_file() {
  const fs::path home = mcp::UserPlaces::of_this_process().config_home;
  return home.empty() ? std::string()
                      : (home / "autostart" / "org.parley.Desktop.desktop").string();
}

core::Result<void> set_autostart(const std::string& file, std::string_view program, bool on) {
  if (file.empty()) return {};
  if (!on) {
    std::error_code failed;
    fs::remove(file, failed);
    if (failed) return core::fail(core::system_error(failed.value(), file));
    return {};
  }
  PARLEY_TRY_VOID(core::make_private_folder(fs::path(file).parent_path().string()));
  return core::write_private_file(file,
                                  "[Desktop Entry]\nType=Application\nName=Parley\n"
                                  "Icon=org.parley.Desktop\nExec=" +
                                      exec_argument(program) +
                                      " --hidden\nX-GNOME-Autostart-enabled=true\n");
}

}  // namespace parley::desktop
