// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/json_writer.h"
#include "protocol/v1/handlers.h"
#include "protocol/v1/json_input.h"
#include "protocol/v1/time_text.h"

namespace parley::v1 {
namespace {

bool let_in(const Context& context, Call& call) {
  if (context.is_admin(call.identity)) return true;
  send_error(call, {core::Code::permission_denied,
                    "This token may not see or change tokens. Use the one named \"default\", or "
                    "`parley token` on the server's machine.",
                    {}});
  return false;
}

void write_time(core::JsonWriter& json, std::string_view name,
                const std::optional<core::WallTime>& at) {
  json.key(name);
  if (at) {
    json.number(core::to_unix_ms(*at));
  } else {
    json.null();
  }
}

void write_token(core::JsonWriter& json, const auth::TokenInfo& token) {
  json.key("id").string(token.identity.token_id).key("name").string(token.identity.name);
  json.key("created_at").number(core::to_unix_ms(token.created_at));
  write_time(json, "expires_at", token.identity.expires_at);
  write_time(json, "revoked_at", token.revoked_at);
}

}  // namespace

void list_tokens(const Context& context, Call call) {
  if (!let_in(context, call)) return;
  const auto tokens = context.tokens.list();
  if (!tokens) return send_error(call, tokens.error());
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("tokens").begin_array();
  for (const auth::TokenInfo& token : *tokens) {
    json.begin_object();
    write_token(json, token);
    json.end_object();
  }
  json.end_array().end_object();
  send_json(call, 200, std::move(out));
}

void create_token(const Context& context, Call call) {
  if (!let_in(context, call)) return;
  std::string name;
  std::string expires;
  const auto read = read_object(call.request.body, [&](ObjectReader& in) {
    in.text("name", name, ObjectReader::Need::required);
    in.text("expires", expires);
  });
  if (!read) return send_error(call, read.error());
  std::optional<core::WallTime> expires_at;
  if (!expires.empty()) {
    const auto at = parse_expiry(expires, call.responder.scheduler().clock().wall());
    if (!at) return send_error(call, at.error());
    expires_at = *at;
  }
  const auto made = context.tokens.create(name, expires_at);
  if (!made) return send_error(call, made.error());
  const auto tokens = context.tokens.list();
  if (!tokens) return send_error(call, tokens.error());
  const auto it = std::find_if(tokens->begin(), tokens->end(), [&name](const auth::TokenInfo& t) {
    return t.identity.name == name && !t.revoked_at;
  });
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("token").string(*made);
  if (it != tokens->end()) write_token(json, *it);
  json.end_object();
  send_json(call, 201, std::move(out));
}

void revoke_token(const Context& context, Call call) {
  if (!let_in(context, call)) return;
  const auto revoked = context.tokens.revoke(call.request.path_param("name"));
  if (!revoked) return send_error(call, revoked.error());
  call.responder.send(net::Response{204, {}, {}});
}

}  // namespace parley::v1
