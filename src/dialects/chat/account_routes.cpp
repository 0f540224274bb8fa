// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/account_routes.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "base/core/time_text.h"
#include "dialects/chat/wrapper.h"
#include "identity/access/entrance.h"
#include "identity/accounts/user.h"
#include "identity/auth/token_store.h"

namespace parley::chat {

namespace {

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

// Writes a user in the front ends' form, without a password.
void write_user(core::JsonWriter& json, const accounts::User& user);
std::string user_json(const accounts::User& user);
// The holder of a Parley token as a user.
std::string token_user_json(const auth::Identity& identity);
// [{"roleCode":"ADMIN","roleName":"Administrator"}, ...]
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

using accounts::AccountService;
using accounts::IssuedLogin;
using accounts::PasswordAnswer;
using accounts::User;
using accounts::UserChange;
using core::Code;
using core::Result;

// The lifetime of an access token in the front ends' form: "86400".
std::string access_seconds() {
  return std::to_string(std::chrono::floor<std::chrono::seconds>(accounts::kAccessLife).count());
}

// One admitted request; the identity is empty for an open route.
struct AccountCall {
  AccountService& service;
  net::Request request;
  auth::Identity identity;
  WrappedResponder out;

  // The user of a login; std::nullopt: the caller has a Parley token.
  std::optional<User> self() const { return service.store().user_of(request.token()); }
};

template <typename T>
auto answering(WrappedResponder out, std::string (*json)(const T&)) {
  return [out = std::move(out), json](const Result<T>& result) mutable {
    if (!result) return out.refuse(result.error());
    out.data(json(*result));
  };
}

auto answering_null(WrappedResponder out) {
  return [out = std::move(out)](const Result<void>& result) mutable {
    if (!result) return out.refuse(result.error());
    out.data("null");
  };
}

// --- logins --------------------------------------------------------------------------------------

std::string login_json(const IssuedLogin& login) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("accessToken").string(login.access_token);
  json.key("refreshToken").string(login.refresh_token).key("expiresIn").string(access_seconds());
  json.key("user");
  write_user(json, login.user);
  json.end_object();
  return out;
}

std::string access_json(const std::string& token) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("accessToken").string(token);
  json.key("expiresIn").string(access_seconds()).end_object();
  return out;
}

void log_in(AccountCall call) {
  const WrappedBody body(call.request.body);
  Result<std::string> name = body.required("email");
  if (!name) return call.out.refuse(name.error());
  Result<std::string> password = body.required("password");
  if (!password) return call.out.refuse(password.error());
  core::Scheduler& home = call.out.scheduler();
  call.service.log_in(std::move(*name), std::move(*password), call.request.peer, home,
                      [out = std::move(call.out)](PasswordAnswer<IssuedLogin> answer) mutable {
                        if (!answer.result) return out.refuse(answer.result.error(), answer.wait);
                        out.data(login_json(*answer.result), answer.wait);
                      });
}

void refresh(AccountCall call) {
  Result<std::string> token = WrappedBody(call.request.body).required("refreshToken");
  if (!token) return call.out.refuse(token.error());
  core::Scheduler& home = call.out.scheduler();
  call.service.refresh(std::move(*token), home, answering(std::move(call.out), access_json));
}

void log_out(AccountCall call) {
  core::Scheduler& home = call.out.scheduler();
  call.service.log_out(call.request.token(), home, answering_null(std::move(call.out)));
}

void ask_the_administrator(AccountCall call) {
  call.out.refuse({Code::failed_precondition,
                   "Only the administrator of this server can do this, with `parley user`.",
                   {}});
}

// --- the caller ----------------------------------------------------------------------------------

void get_me(AccountCall call) {
  const std::optional<User> self = call.self();
  call.out.data(self ? user_json(*self) : token_user_json(call.identity));
}

void change_my_password(AccountCall call, const User& self, const WrappedBody& body) {
  Result<std::string> fresh = body.required("newPassword");
  if (!fresh) return call.out.refuse(fresh.error());
  Result<std::string> old_one = body.required("oldPassword");
  if (!old_one) return call.out.refuse(old_one.error());
  if (body.member("username") || body.member("avatarUrl")) {
    return call.out.refuse({Code::invalid_argument,
                            "\"newPassword\" must be sent without \"username\" and \"avatarUrl\".",
                            "newPassword"});
  }
  core::Scheduler& home = call.out.scheduler();
  call.service.change_own_password(
      self, std::move(*old_one), std::move(*fresh), call.request.peer, home,
      [self, out = std::move(call.out)](const PasswordAnswer<void>& answer) mutable {
        if (!answer.result) return out.refuse(answer.result.error(), answer.wait);
        out.data(user_json(self), answer.wait);
      });
}

void put_me(AccountCall call) {
  const WrappedBody body(call.request.body);
  Result<std::optional<std::string>> username = body.text("username");
  if (!username) return call.out.refuse(username.error());
  Result<std::optional<std::string>> avatar = body.text("avatarUrl");
  if (!avatar) return call.out.refuse(avatar.error());
  const std::optional<User> self = call.self();
  if (!self) {
    return call.out.refuse({Code::failed_precondition,
                            "The caller is a token, not a user. Change tokens with `parley token`.",
                            {}});
  }
  if (body.member("newPassword")) return change_my_password(std::move(call), *self, body);
  UserChange change;
  change.username = std::move(*username);
  change.avatar_url = std::move(*avatar);
  core::Scheduler& home = call.out.scheduler();
  call.service.change(self->id, std::move(change), std::nullopt, call.request.peer, home,
                      answering(std::move(call.out), user_json));
}

void my_roles(AccountCall call) {
  if (call.identity.rights.has(auth::Right::admin)) {
    return call.out.data(roles_json({"ADMIN", "USER"}));
  }
  call.out.data(roles_json({"USER"}));
}

void my_permissions(AccountCall call) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  for (const auth::Right right : auth::kAllRights) {
    if (call.identity.rights.has(right)) json.string(auth::right_name(right));
  }
  json.end_array();
  call.out.data(out);
}

// --- users, for administrators -------------------------------------------------------------------

void list_users(AccountCall call) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  for (const User& user : call.service.store().users()) write_user(json, user);
  json.end_array();
  call.out.data(out);
}

// True if "roles" contains administrator; std::nullopt: absent.
Result<std::optional<bool>> read_admin(const WrappedBody& body) {
  const std::optional<simdjson::dom::element> value = body.member("roles");
  if (!value) return std::nullopt;
  const core::Error fault{Code::invalid_argument,
                          "\"roles\" must be a list of at least one of ADMIN and USER.", "roles"};
  simdjson::dom::array list;
  if (value->get(list) != simdjson::SUCCESS || list.size() == 0) return core::fail(fault);
  bool admin = false;
  for (const simdjson::dom::element one : list) {
    std::string_view name;
    if (one.get(name) != simdjson::SUCCESS || (name != "ADMIN" && name != "USER")) {
      return core::fail(fault);
    }
    admin = admin || name == "ADMIN";
  }
  return admin;
}

void create_user(AccountCall call) {
  const WrappedBody body(call.request.body);
  accounts::NewUser wanted;
  std::string password;
  for (const auto& [name, to] : {std::pair{"email", &wanted.email},
                                 {"username", &wanted.username},
                                 {"password", &password}}) {
    Result<std::string> value = body.required(name);
    if (!value) return call.out.refuse(value.error());
    *to = std::move(*value);
  }
  const Result<std::optional<bool>> admin = read_admin(body);
  if (!admin) return call.out.refuse(admin.error());
  wanted.admin = admin->value_or(false);
  core::Scheduler& home = call.out.scheduler();
  call.service.create(std::move(wanted), std::move(password), call.request.peer, home,
                      answering(std::move(call.out), user_json));
}

Result<std::int64_t> user_id(const AccountCall& call) {
  const std::string_view text = call.request.path_param("id");
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error == std::errc() && end == text.data() + text.size() && id > 0) return id;
  return core::fail(Code::not_found, "There is no such user.", "id");
}

// Refuses to lock or remove the caller's own user, which may be the last administrator.
Result<void> spare_self(const AccountCall& call, std::int64_t id) {
  const std::optional<User> self = call.self();
  if (!self || self->id != id) return {};
  return core::fail(Code::failed_precondition,
                    "Users cannot delete or lock themselves, or change their own role. Ask another "
                    "administrator, or use `parley user`.");
}

struct Edit {
  UserChange change;
  std::optional<std::string> password;
};

Result<Edit> read_edit(const WrappedBody& body) {
  Edit out;
  std::optional<std::string> status;
  for (const auto& [name, to] : {std::pair{"username", &out.change.username},
                                 {"avatarUrl", &out.change.avatar_url},
                                 {"password", &out.password},
                                 {"status", &status}}) {
    PARLEY_TRY(std::optional<std::string> value, body.text(name));
    *to = std::move(value);
  }
  if (status) out.change.status = accounts::status_from(*status);
  if (status && (!out.change.status || *out.change.status == accounts::UserStatus::deleted)) {
    return core::fail(Code::invalid_argument,
                      "\"status\" must be ACTIVE, INACTIVE or LOCKED; DELETE deletes a user.",
                      "status");
  }
  PARLEY_TRY(const std::optional<bool> admin, read_admin(body));
  out.change.admin = admin;
  return out;
}

void update_user(AccountCall call) {
  const Result<std::int64_t> id = user_id(call);
  if (!id) return call.out.refuse(id.error());
  Result<Edit> edit = read_edit(WrappedBody(call.request.body));
  if (!edit) return call.out.refuse(edit.error());
  const UserChange& change = edit->change;
  const bool drops =
      (change.status && *change.status != accounts::UserStatus::active) || change.admin == false;
  if (const Result<void> spared = drops ? spare_self(call, *id) : Result<void>(); !spared) {
    return call.out.refuse(spared.error());
  }
  core::Scheduler& home = call.out.scheduler();
  call.service.change(*id, std::move(edit->change), std::move(edit->password), call.request.peer,
                      home, answering(std::move(call.out), user_json));
}

void delete_user(AccountCall call) {
  const Result<std::int64_t> id = user_id(call);
  if (!id) return call.out.refuse(id.error());
  if (const Result<void> spared = spare_self(call, *id); !spared) {
    return call.out.refuse(spared.error());
  }
  core::Scheduler& home = call.out.scheduler();
  call.service.remove(*id, home, answering_null(std::move(call.out)));
}

struct AccountRoute {
  const char* method;
  const char* pattern;
  void (*handle)(AccountCall);
};

constexpr AccountRoute kAccountRoutes[] = {
    {"POST", "/api/v1/auth/login", log_in},
    {"POST", "/api/v1/auth/refresh", refresh},
    {"POST", "/api/v1/auth/logout", log_out},
    {"POST", "/api/v1/auth/register", ask_the_administrator},
    {"POST", "/api/v1/auth/forgot-password", ask_the_administrator},
    {"POST", "/api/v1/auth/reset-password", ask_the_administrator},
    {"GET", "/api/v1/users/me", get_me},
    {"PUT", "/api/v1/users/me", put_me},
    {"GET", "/api/v1/permissions/my-roles", my_roles},
    {"GET", "/api/v1/permissions/my-permissions", my_permissions},
    {"GET", "/api/v1/users", list_users},
    {"POST", "/api/v1/users", create_user},
    {"PUT", "/api/v1/users/{id}", update_user},
    {"DELETE", "/api/v1/users/{id}", delete_user},
};

}  // namespace

void install_accounts(net::Router& router, const AccountContext& context) {
  for (const AccountRoute& route : kAccountRoutes) {
    const access::Row& row = access::row_of(route.method, route.pattern);
    const auto handler = [&service = context.service, handle = route.handle](
                             net::Request request, net::Responder responder,
                             auth::Identity identity) {
      handle({service, std::move(request), std::move(identity), {std::move(responder)}});
    };
    if (row.need == access::Need::nothing) {
      router.add(route.method, route.pattern,
                 [handler](net::Request request, net::Responder responder) {
                   handler(std::move(request), std::move(responder), {});
                 });
      continue;
    }
    access::add_route(router, row, route.pattern, context.verifier, handler, wrapped_refusal);
  }
}

}  // namespace parley::chat
