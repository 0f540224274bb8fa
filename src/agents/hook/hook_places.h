// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "agents/mcp/assistant_client.h"
#include "base/core/result.h"

namespace parley::hook {

// The folders of the person who runs the hook. Neither the working directory nor the environment
// has a part in them: a repository can set both for the hooks of an agent, and could name a server
// of its own.
struct HookPlaces {
  std::filesystem::path home;
  std::filesystem::path config_home;  // of the settings of this person
  std::filesystem::path data;         // Parley's data directory

  std::filesystem::path waits() const { return data / "hooks"; }
  std::filesystem::path log() const { return data / "hook.log"; }

  // From the user database. `data`: from --data, an absolute path; empty: the standard one.
  static core::Result<HookPlaces> of_this_user(const std::filesystem::path& data);
};

// True if Codex lets a model decide in place of the person (approvals_reviewer in its settings), of
// which its events say nothing.
bool codex_reviews_itself(const HookPlaces& places);

// The server of this person: that of the settings file, if `config` or one of the person's own
// files names a server with a token, else the running one. std::nullopt: none is known. Errors: the
// file is not valid.
core::Result<std::optional<mcp::ServerAccess>> find_server(const HookPlaces& places,
                                                           const std::string& config);

}  // namespace parley::hook
