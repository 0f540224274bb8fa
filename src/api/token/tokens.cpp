// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <memory>
#include <variant>
#include <vector>

#include "api/expiry.h"
#include "api/handlers.h"
#include "api/json_input.h"
#include "core/contain.h"
#include "core/json_writer.h"
#include "core/try.h"

namespace parley::api {
namespace {

// Limit of requests, of all callers together, that wait for the file of tokens.
constexpr std::size_t kMaxWaiting = 64;

// Runs `work` (core::Result<T>(auth::TokenStore&)) on Context::disk, then `answer` (void(Call&, T))
// on the thread of the call. Sends the error if `work` fails or kMaxWaiting is reached.
template <typename T, typename Work, typename Answer>
void with_store(const Context& context, Call call, Work work, Answer answer) {
  const std::shared_ptr<std::atomic<std::size_t>> waiting = context.waiting_for_tokens;
  if (waiting->fetch_add(1) >= kMaxWaiting) {
    --*waiting;
    return send_error(call, {core::Code::resource_exhausted,
                             "Too many requests wait for the list of tokens. Try again soon.",
                             {}});
  }
  core::Scheduler& back = call.responder.scheduler();
  context.disk.post(
      [&context, &back, waiting, call = std::move(call), work = std::move(work), answer]() mutable {
        core::Result<T> result = core::contain("tokens", [&] { return work(context.tokens); });
        --*waiting;
        back.post([call = std::move(call), result = std::move(result), answer]() mutable {
          if (!result) return send_error(call, result.error());
          answer(call, std::move(*result));
        });
      });
}

void write_time(core::JsonWriter& json, std::string_view name,
                const std::optional<core::WallTime>& at) {
  json.key(name);
  at ? json.number(core::to_unix_ms(*at)) : json.null();
}

void write_token(core::JsonWriter& json, const auth::TokenInfo& token) {
  json.key("id").string(token.identity.token_id).key("name").string(token.identity.name);
  json.key("created_at").number(core::to_unix_ms(token.created_at));
  write_time(json, "expires_at", token.identity.expires_at);
  write_time(json, "revoked_at", token.revoked_at);
  json.key("rights").begin_array();
  for (const auth::Right right : auth::kAllRights) {
    if (token.identity.rights.has(right)) json.string(auth::right_name(right));
  }
  json.end_array();
}

core::Result<void> read_names(simdjson::dom::element value, std::vector<std::string>& names) {
  const core::Error fault{core::Code::invalid_argument,
                          "\"rights\" must be a list of names of rights.", "rights"};
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

core::Result<Made> make(auth::TokenStore& store, const std::string& name,
                        std::optional<core::WallTime> expires_at,
                        std::optional<auth::Rights> rights) {
  Made made;
  PARLEY_TRY(std::string token, store.create(name, expires_at, rights));
  made.token = std::move(token);
  PARLEY_TRY(const auto tokens, store.list());
  const auto it = std::find_if(tokens.begin(), tokens.end(), [&name](const auth::TokenInfo& t) {
    return t.identity.name == name && !t.revoked_at;
  });
  if (it != tokens.end()) made.info = *it;
  return made;
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
  std::string name;
  std::string expires;
  std::vector<std::string> names;
  bool with_rights = false;
  core::Result<void> fault;
  const auto read = read_object(call.request.body, [&](ObjectReader& in) {
    in.text("name", name, ObjectReader::Need::required);
    in.text("expires", expires);
    with_rights = in.has("rights");
    in.any("rights", [&](simdjson::dom::element value) { fault = read_names(value, names); });
    in.finish();
  });
  if (!read) return send_error(call, read.error());
  if (!fault) return send_error(call, fault.error());
  std::optional<core::WallTime> expires_at;
  if (!expires.empty()) {
    const auto at = parse_expiry(expires, call.responder.scheduler().clock().wall());
    if (!at) return send_error(call, at.error());
    expires_at = *at;
  }
  std::optional<auth::Rights> rights;
  if (with_rights) {
    const auto wanted = auth::Rights::from_names(names);
    if (!wanted) return send_error(call, wanted.error());
    rights = *wanted;
  }
  with_store<Made>(
      context, std::move(call),
      [name, expires_at, rights](auth::TokenStore& store) {
        return make(store, name, expires_at, rights);
      },
      [](Call& from, const Made& made) {
        send_object(from, 201, [&](core::JsonWriter& json) {
          json.key("token").string(made.token);
          if (made.info) write_token(json, *made.info);
        });
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
