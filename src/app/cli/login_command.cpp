// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "app/cli/commands.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/json_writer.h"
#include "base/core/time_text.h"
#include "identity/oauth/grant_file.h"
#include "identity/oauth/scope.h"

namespace parley::app {
namespace {

using oauth::Grant;
using oauth::GrantFile;

int fail_with(const Settings& settings, const core::Error& error) {
  complain({"The logins of agents in " + settings.stores().name() + " cannot be read.",
            error.message, "Run `parley doctor` for details."});
  return kExitDataBroken;
}

std::string logins_as_json(const std::vector<Grant>& grants) {
  std::string out;
  core::JsonWriter(out).objects(grants, [](core::JsonWriter& json, const Grant& grant) {
    json.key("client_id").string(grant.client_id).key("client_name").string(grant.client_name);
    json.key("scope").string(oauth::scope_text(grant.scopes));
    json.key("token_id").string(grant.token_id).key("workspace").string(grant.workspace);
    json.key("created_at").string(core::time_text(grant.created_at));
    json.key("ends_unused_at").string(core::time_text(grant.refresh_until));
  });
  return out + "\n";
}

std::string logins_as_table(const std::vector<Grant>& grants) {
  constexpr std::size_t kTimeWidth = 20;
  constexpr std::size_t kIdWidth = 16;
  std::size_t name_width = 4;
  for (const Grant& grant : grants) name_width = std::max(name_width, grant.client_name.size());
  std::string out = padded("NAME", name_width) + padded("CREATED", kTimeWidth) +
                    padded("ENDS UNUSED", kTimeWidth) + padded("TOKEN", kIdWidth) + "CLIENT ID\n";
  for (const Grant& grant : grants) {
    out += padded(grant.client_name, name_width) +
           padded(core::time_text(grant.created_at), kTimeWidth) +
           padded(core::time_text(grant.refresh_until), kTimeWidth) +
           padded(grant.token_id, kIdWidth) + grant.client_id + "\n";
  }
  return out;
}

}  // namespace

int list_logins(const Settings& settings, bool json) {
  const auto file = GrantFile::open(settings.stores());
  if (!file) return fail_with(settings, file.error());
  const auto grants = (*file)->grants();
  if (!grants) return fail_with(settings, grants.error());
  const bool written = json ? print(logins_as_json(*grants)) : print_text(logins_as_table(*grants));
  return written ? kExitOk : kExitFailure;
}

int end_logins(const Settings& settings, const std::string& client_id, bool json) {
  const auto file = GrantFile::open(settings.stores());
  if (!file) return fail_with(settings, file.error());
  const auto grants = (*file)->grants();
  if (!grants) return fail_with(settings, grants.error());
  std::size_t ended = 0;
  for (const Grant& grant : *grants) {
    if (grant.client_id != client_id) continue;
    if (const auto removed = (*file)->remove(grant.id); !removed) {
      return fail_with(settings, removed.error());
    }
    ++ended;
  }
  if (ended == 0) {
    complain({"No agent has logged in as \"" + client_id + "\".",
              "There is no login with this client id.", "`parley token logins` shows them."});
    return kExitFailure;
  }
  const bool written = json
                           ? print("{\"ended\":" + std::to_string(ended) + "}\n")
                           : print_text("ended " + std::to_string(ended) +
                                        "; a running server closes their connections within 2 s\n");
  return written ? kExitOk : kExitFailure;
}

}  // namespace parley::app
