// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/hook_places.h"

#include <pwd.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "agents/mcp/settings.h"
#include "base/core/result.h"
#include "base/core/toml_dots.h"

namespace parley::hook {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxSettingsBytes = 1U << 20U;

}  // namespace

core::Result<HookPlaces> HookPlaces::of_this_user(const fs::path& data) {
  constexpr std::size_t kMaxEntry = 16U << 10U;
  std::array<char, kMaxEntry> text{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, text.data(), text.size(), &found) != 0 ||
      found == nullptr || found->pw_dir == nullptr || found->pw_dir[0] != '/') {
    return core::fail(core::Code::not_found, "the user database has no home for this user");
  }
  const fs::path home(found->pw_dir);
  HookPlaces places{home, home / ".config", home / ".local/share/parley"};
  if (!data.empty()) places.data = data;
  return places;
}

bool codex_reviews_itself(const HookPlaces& places) {
  std::ifstream in(places.home / ".codex/config.toml");
  if (!in) return false;
  std::string text(kMaxSettingsBytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (core::count_toml_dots(text) > core::kMaxTomlDots) return true;
  try {
    const toml::table table = toml::parse(text);
    return table["approvals_reviewer"].value_or(std::string("user")) != "user";
  } catch (const toml::parse_error&) {
    return true;  // Codex does not read the file either.
  }
}

core::Result<std::optional<mcp::ServerAccess>> find_server(const HookPlaces& places,
                                                           const std::string& config) {
  const mcp::UserPlaces user{{}, places.config_home, places.data};
  PARLEY_TRY(const mcp::Settings settings, mcp::load_settings({}, user, config));
  const mcp::ServerSettings& server = settings.server;
  const bool is_named = server.host || server.port || server.base_url;
  if (!is_named && !mcp::discover_server(places.data)) {
    return std::optional<mcp::ServerAccess>();
  }
  mcp::ServerAccess access = mcp::resolve_endpoint(server, settings.file, user);
  // The last resort of other commands, which any server may accept.
  if (!server.token && access.token == mcp::kDefaultToken) {
    return std::optional<mcp::ServerAccess>();
  }
  return std::optional(std::move(access));
}

}  // namespace parley::hook
