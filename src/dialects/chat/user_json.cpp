// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/user_json.h"

#include "base/core/time_text.h"
#include "dialects/chat/wrapper.h"

namespace parley::chat {

void write_user(core::JsonWriter& json, const accounts::User& user) {
  json.begin_object().key("id").string(std::to_string(user.id));
  json.key("createTime").string(date_text(core::to_unix_ms(user.created_at)));
  json.key("updateTime").string(date_text(core::to_unix_ms(user.updated_at)));
  json.key("email").string(user.email).key("username").string(user.username);
  json.key("avatarUrl");
  if (user.avatar_url.empty()) {
    json.null();
  } else {
    json.string(user.avatar_url);
  }
  json.key("status").string(accounts::status_name(user.status)).key("lastLoginTime");
  if (user.last_login_at) {
    // Not in the form of date_text(), unlike every other date of the contract.
    json.string(core::time_text(*user.last_login_at));
  } else {
    json.null();
  }
  json.key("roles").begin_array();
  for (const std::string_view role : accounts::roles_of(user)) json.string(role);
  json.end_array().end_object();
}

std::string user_json(const accounts::User& user) {
  std::string out;
  core::JsonWriter json(out);
  write_user(json, user);
  return out;
}

std::string token_user_json(const auth::Identity& identity) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("id").string(identity.workspace);
  json.key("createTime").null().key("updateTime").null();
  json.key("email").null().key("username").string(identity.name);
  json.key("avatarUrl").null().key("status").string("ACTIVE").key("lastLoginTime").null();
  json.key("roles").begin_array();
  if (identity.rights.has(auth::Right::admin)) json.string("ADMIN");
  json.string("USER").end_array().end_object();
  return out;
}

std::string roles_json(const std::vector<std::string_view>& roles) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  for (const std::string_view role : roles) {
    json.begin_object().key("roleCode").string(role).key("roleName");
    json.string(role == "ADMIN" ? "Administrator" : "User").end_object();
  }
  json.end_array();
  return out;
}

}  // namespace parley::chat
