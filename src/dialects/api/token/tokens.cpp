// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <variant>
#include <vector>

#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "dialects/api/disk_work.h"
#include "dialects/api/expiry.h"
#include "dialects/api/handlers.h"
#include "dialects/api/json_input.h"

namespace parley::api {
namespace {

// with_disk() with `work` (core::Result<T>(auth::TokenStore&)) on the token store.
template <typename T, typename Work, typename Answer>
void with_store(const Context& context, Call call, Work work, Answer answer) {
  with_disk<T>(
      context, std::move(call), "tokens",
      [&context, work = std::move(work)]() mutable { return work(context.tokens); },
      std::move(answer));
}

void write_token(core::JsonWriter& json, const auth::TokenInfo& token) {
  json.key("id").string(token.identity.token_id).key("name").string(token.identity.name);
  json.key("workspace").string(token.identity.workspace);
  json.key("created_at").number(core::to_unix_ms(token.created_at));
  write_time(json, "expires_at", token.identity.expires_at);
  write_time(json, "revoked_at", token.revoked_at);
  write_time(json, "last_seen_at", token.seen_at);
  json.key("rights").begin_array();
  for (const auth::Right right : auth::kAllRights) {
    if (token.identity.rights.has(right)) json.string(auth::right_name(right));
  }
  json.end_array();
}

core::Result<void> read_names(simdjson::dom::element value, std::vector<std::string>& names) {
  const core::Error fault{core::Code::invalid_argument,
                          "\"rights\" must be an array of strings, each the name of a right.",
                          "rights"};
  simdjson::dom::array list;
  if (value.get(list) != simdjson::SUCCESS) return core::fail(fault);
  for (const simdjson::dom::element one : list) {
    std::string_view name;
    if (one.get(name) != simdjson::SUCCESS) return core::fail(fault);
    names.emplace_back(name);
  }
  return {};
}

struct Made {
  std::string token;
  std::optional<auth::TokenInfo> info;
};

core::Result<Made> make(auth::TokenStore& store, const auth::NewToken& wanted) {
  Made created;
  PARLEY_TRY(std::string token, store.create(wanted));
  created.token = std::move(token);
  PARLEY_TRY(const auto tokens, store.list());
  const auto it = std::find_if(tokens.begin(), tokens.end(), [&wanted](const auth::TokenInfo& t) {
    return t.identity.name == wanted.name && !t.revoked_at;
  });
  if (it != tokens.end()) created.info = *it;
  return created;
}

}  // namespace

void list_tokens(const Context& context, Call call) {
  using Infos = std::vector<auth::TokenInfo>;
  with_store<Infos>(
      context, std::move(call), [](auth::TokenStore& store) { return store.list(); },
      [](Call& from, const Infos& tokens) {
        send_object(from, 200, [&](core::JsonWriter& json) {
          json.key("tokens").objects(tokens, write_token);
        });
      });
}

void create_token(const Context& context, Call call) {
  auth::NewToken wanted;
  std::string expires;
  std::vector<std::string> names;
  bool with_rights = false;
  bool same_workspace = false;
  core::Result<void> fault;
  const auto read = read_object(call.request.body, [&](ObjectReader& in) {
    in.text("name", wanted.name, ObjectReader::Need::required);
    in.text("expires", expires);
    in.boolean("same_workspace", same_workspace);
    with_rights = in.has("rights");
    in.any("rights", [&](simdjson::dom::element value) { fault = read_names(value, names); });
    in.finish();
  });
  if (!read) return send_error(call, read.error());
  if (!fault) return send_error(call, fault.error());
  if (same_workspace) wanted.workspace = call.identity.workspace;
  if (!expires.empty()) {
    const auto at = parse_expiry(expires, call.responder.scheduler().clock().wall());
    if (!at) return send_error(call, at.error());
    wanted.expires_at = *at;
  }
  if (with_rights) {
    const auto rights = auth::Rights::from_names(names);
    if (!rights) return send_error(call, rights.error());
    wanted.rights = *rights;
  }
  with_store<Made>(
      context, std::move(call),
      [wanted = std::move(wanted)](auth::TokenStore& store) { return make(store, wanted); },
      [](Call& from, const Made& created) {
        send_object(from, 201, [&](core::JsonWriter& json) {
          json.key("token").string(created.token);
          if (created.info) write_token(json, *created.info);
        });
      });
}

void rename_token(const Context& context, Call call) {
  std::string name;
  const auto read = read_object(call.request.body, [&](ObjectReader& in) {
    in.text("name", name, ObjectReader::Need::required);
    in.finish();
  });
  if (!read) return send_error(call, read.error());
  const std::string which(call.request.path_param("name"));
  with_store<auth::TokenInfo>(
      context, std::move(call),
      [which, name](auth::TokenStore& store) { return store.rename(which, name); },
      [](Call& from, const auth::TokenInfo& token) {
        send_object(from, 200, [&](core::JsonWriter& json) { write_token(json, token); });
      });
}

void revoke_token(const Context& context, Call call) {
  const std::string name(call.request.path_param("name"));
  with_store<std::monostate>(
      context, std::move(call),
      [name](auth::TokenStore& store) -> core::Result<std::monostate> {
        PARLEY_TRY_VOID(store.revoke(name));
        return std::monostate();
      },
      [](Call& from, std::monostate) {
        from.responder.send(net::Response{204, {}, {}});
      });
}

}  // namespace parley::api
