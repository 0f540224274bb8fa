// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "app/cli/commands.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/entropy.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "base/core/time_text.h"
#include "dialects/api/expiry.h"
#include "identity/auth/token_store.h"

namespace parley::app {
namespace {

std::string state_of(const auth::TokenInfo& token, core::WallTime now) {
  if (token.revoked_at) return "revoked";
  if (token.identity.expires_at && *token.identity.expires_at <= now) return "expired";
  return "valid";
}

// The tokens of a data directory, opened for one command.
struct OpenTokens {
  core::SystemClock clock;
  core::SystemEntropy entropy;
  std::unique_ptr<auth::TokenStore> store;

  bool open(const Settings& settings) {
    auto opened = auth::TokenStore::open(settings.stores(), clock, entropy);
    if (!opened) {
      complain({"The tokens in " + settings.stores().name() + " cannot be opened.",
                opened.error().message,
                "Name the server's data directory with --data or PARLEY_DATA."});
      return false;
    }
    store = std::move(*opened);
    return true;
  }

  // The workspace of the valid token with this id or name.
  core::Result<std::string> workspace_of(const std::string& name_or_id) const {
    PARLEY_TRY(const auto known, store->list());
    for (const auth::TokenInfo& token : known) {
      const bool named = token.identity.token_id == name_or_id || token.identity.name == name_or_id;
      if (named && state_of(token, clock.wall()) == "valid") return token.identity.workspace;
    }
    return core::fail(core::Code::not_found,
                      "No valid token has the name or id \"" + name_or_id + "\".");
  }
};

void write_time(core::JsonWriter& json, std::string_view name,
                const std::optional<core::WallTime>& at) {
  json.key(name);
  at ? json.string(core::time_text(*at)) : json.null();
}

std::string tokens_as_json(const std::vector<auth::TokenInfo>& tokens, core::WallTime now) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  for (const auth::TokenInfo& token : tokens) {
    json.begin_object().key("id").string(token.identity.token_id);
    json.key("name").string(token.identity.name).key("state").string(state_of(token, now));
    json.key("workspace").string(token.identity.workspace);
    json.key("rights").begin_array();
    for (const auth::Right right : auth::kAllRights) {
      if (token.identity.rights.has(right)) json.string(auth::right_name(right));
    }
    json.end_array();
    json.key("created_at").string(core::time_text(token.created_at));
    write_time(json, "expires_at", token.identity.expires_at);
    write_time(json, "revoked_at", token.revoked_at);
    write_time(json, "last_seen_at", token.seen_at);
    json.end_object();
  }
  json.end_array();
  return out + "\n";
}

std::string rights_of(const auth::TokenInfo& token) {
  return token.identity.rights == auth::Rights::all() ? "all" : token.identity.rights.text();
}

std::string tokens_as_table(const std::vector<auth::TokenInfo>& tokens, core::WallTime now) {
  std::size_t name_width = 4;
  std::size_t rights_width = 6;
  for (const auth::TokenInfo& token : tokens) {
    name_width = std::max(name_width, token.identity.name.size());
    rights_width = std::max(rights_width, rights_of(token).size());
  }
  constexpr std::size_t kStateWidth = 7;
  constexpr std::size_t kTimeWidth = 20;
  constexpr std::size_t kIdWidth = 16;
  std::string out = padded("NAME", name_width) + padded("STATE", kStateWidth) +
                    padded("CREATED", kTimeWidth) + padded("EXPIRES", kTimeWidth) +
                    padded("LAST SEEN", kTimeWidth) + padded("RIGHTS", rights_width) +
                    padded("ID", kIdWidth) + "WORKSPACE\n";
  for (const auth::TokenInfo& token : tokens) {
    const auto& expires = token.identity.expires_at;
    out += padded(token.identity.name, name_width) + padded(state_of(token, now), kStateWidth) +
           padded(core::time_text(token.created_at), kTimeWidth) +
           padded(expires ? core::time_text(*expires) : "never", kTimeWidth) +
           padded(token.seen_at ? core::time_text(*token.seen_at) : "never", kTimeWidth) +
           padded(rights_of(token), rights_width) + padded(token.identity.token_id, kIdWidth) +
           token.identity.workspace + "\n";
  }
  return out;
}

int fail_with(const std::string& what, const core::Error& error, const std::string& next) {
  complain({what, error.message, next});
  return error.code == core::Code::invalid_argument ? kExitUsage : kExitFailure;
}

}  // namespace

int create_token(const Settings& settings, const TokenCreateOptions& options, bool json) {
  OpenTokens tokens;
  if (!tokens.open(settings)) return kExitDataBroken;
  auth::NewToken wanted;
  if (!options.expires.empty()) {
    const auto at = api::parse_expiry(options.expires, tokens.clock.wall());
    if (!at) {
      return fail_with("The expiry \"" + options.expires + "\" is not valid.", at.error(),
                       "For example: parley token create --name laptop --expires 30d");
    }
    wanted.expires_at = *at;
  }
  if (!options.rights.empty()) {
    const auto read = auth::Rights::parse(options.rights);
    if (!read) {
      return fail_with("The rights \"" + options.rights + "\" are not valid.", read.error(),
                       "For example: parley token create --name runner --rights ask,read,run");
    }
    wanted.rights = *read;
  }
  if (!options.shares.empty()) {
    const auto workspace = tokens.workspace_of(options.shares);
    if (!workspace) {
      return fail_with("No token was created.", workspace.error(),
                       "`parley token list` shows the tokens and their workspaces.");
    }
    wanted.workspace = *workspace;
  }
  for (const std::string& name : options.names) {
    wanted.name = name;
    const auto created = tokens.store->create(wanted);
    if (!created) {
      return fail_with("The token \"" + name + "\" was not created.", created.error(),
                       "`parley token list` shows the names that are taken.");
    }
    const std::string object = core::json_object(
        [&](core::JsonWriter& out) { out.key("name").string(name).key("token").string(*created); });
    if (!print((json ? object : *created) + "\n")) return kExitFailure;
  }
  return kExitOk;
}

int rename_token(const Settings& settings, const std::string& name_or_id, const std::string& name,
                 bool json) {
  OpenTokens tokens;
  if (!tokens.open(settings)) return kExitDataBroken;
  const auto renamed = tokens.store->rename(name_or_id, name);
  if (!renamed) {
    return fail_with("The token \"" + name_or_id + "\" was not renamed.", renamed.error(),
                     "`parley token list` shows the tokens.");
  }
  const bool written = json
                           ? print(core::json_object([&](core::JsonWriter& out) {
                                     out.key("renamed").string(name_or_id).key("name").string(name);
                                   }) +
                                   "\n")
                           : print_text("renamed " + name_or_id + " to " + name + "\n");
  return written ? kExitOk : kExitFailure;
}

int list_tokens(const Settings& settings, bool json) {
  OpenTokens tokens;
  if (!tokens.open(settings)) return kExitDataBroken;
  const auto list = tokens.store->list();
  if (!list) {
    return fail_with("The tokens cannot be read.", list.error(),
                     "Run `parley doctor` for details.");
  }
  const core::WallTime now = tokens.clock.wall();
  const bool written =
      json ? print(tokens_as_json(*list, now)) : print_text(tokens_as_table(*list, now));
  return written ? kExitOk : kExitFailure;
}

int revoke_token(const Settings& settings, const std::string& name_or_id, bool json) {
  OpenTokens tokens;
  if (!tokens.open(settings)) return kExitDataBroken;
  const auto revoked = tokens.store->revoke(name_or_id);
  if (!revoked) {
    return fail_with("The token \"" + name_or_id + "\" was not revoked.", revoked.error(),
                     "`parley token list` shows names and ids.");
  }
  const bool written = json ? print(core::json_object([&](core::JsonWriter& out) {
                                      out.key("revoked").string(name_or_id);
                                    }) +
                                    "\n")
                            : print_text("revoked " + name_or_id +
                                         "; a running server ends its connections within 2 s\n");
  return written ? kExitOk : kExitFailure;
}

}  // namespace parley::app
