// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/api.h"

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/id.h"
#include "base/core/number_text.h"
#include "base/core/percent.h"
#include "base/net/http/compression.h"
#include "base/net/http/guest_obstacle.h"
#include "base/net/http/static_files.h"
#include "dialects/api/handlers.h"
#include "identity/access/entrance.h"
#include "model/session/workspace.h"

namespace parley::api {
namespace {

// A handler of runs; answers 404 if this server runs no agents.
template <Handler handler>
void runs(const Context& context, Call call) {
  if (context.runs != nullptr) return handler(context, std::move(call));
  send_error(call, {core::Code::not_found, "This server runs no agents.", {}});
}

// The same for notifications.
template <Handler handler>
void notices(const Context& context, Call call) {
  if (context.notify != nullptr) return handler(context, std::move(call));
  send_error(call, {core::Code::not_found, "This server sends no notifications.", {}});
}

// The description of this API as a file, compressed once. Its bytes live as long as the program.
net::StaticFiles openapi_files() {
  static const std::string packed = net::gzip(openapi_document()).value_or(std::string());
  static const std::string tag = std::to_string(std::hash<std::string_view>{}(openapi_document()));
  static const std::array<net::Asset, 1> files = {{{.path = "/v1/openapi.json",
                                                    .content_type = "application/json",
                                                    .identity = openapi_document(),
                                                    .gzip = packed,
                                                    .br = {},
                                                    .etag = tag}}};
  return net::StaticFiles(files);
}

constexpr std::array<Route, 59> kRoutes = {{
    {"GET", "/v1/me", get_me},
    {"GET", "/v1/tls", get_tls},
    {"POST", "/v1/tailnet", open_tailnet},
    {"GET", "/v1/setup", get_setup},
    {"GET", "/v1/rules", list_rules},
    {"POST", "/v1/rules", make_rule},
    {"DELETE", "/v1/rules/{id}", revoke_rule},
    {"GET", "/v1/sessions", list_sessions},
    {"GET", "/v1/sessions/{id}", get_session},
    {"GET", "/v1/sessions/{id}/events", get_events},
    {"GET", "/v1/interactions", list_interactions},
    {"POST", "/v1/interactions", ask},
    {"POST", "/v1/notices", post_notice},
    {"GET", "/v1/interactions/{key}", on_interaction},
    {"GET", "/v1/interactions/{key}/paths", on_interaction},
    {"GET", "/v1/interactions/{key}/commands", on_interaction},
    {"POST", "/v1/interactions/{key}/answer", on_interaction},
    {"POST", "/v1/interactions/{key}/cancel", on_interaction},
    {"GET", "/v1/search", search_entries},
    {"GET", "/v1/decisions", list_decisions},
    {"GET", "/v1/statistics", get_statistics},
    {"POST", "/v1/interactions/{key}/seen", on_interaction},
    {"GET", "/v1/notifiers", notices<list_notifiers>},
    {"POST", "/v1/notifiers/{name}/test", notices<test_notifier>},
    {"GET", "/v1/push/key", notices<get_push_key>},
    {"GET", "/v1/push/subscriptions", notices<list_subscriptions>},
    {"POST", "/v1/push/subscriptions", notices<add_subscription>},
    {"DELETE", "/v1/push/subscriptions/{id}", notices<remove_subscription>},
    {"POST", "/v1/push/subscriptions/{id}/test", notices<test_subscription>},
    {"GET", "/v1/tokens", list_tokens},
    {"POST", "/v1/tokens", create_token},
    {"PATCH", "/v1/tokens/{name}", rename_token},
    {"DELETE", "/v1/tokens/{name}", revoke_token},
    {"GET", "/v1/studies", list_studies},
    {"GET", "/v1/studies/summary", summarize_studies},
    {"GET", "/v1/studies/{id}", get_study},
    {"GET", "/v1/studies/{id}/log", get_study_log},
    {"GET", "/v1/studies/{id}/calls.csv", get_study_calls},
    {"GET", "/v1/studies/{id}/verify", verify_study},
    {"GET", "/v1/runs", runs<list_runs>},
    {"POST", "/v1/runs", runs<start_run>},
    {"GET", "/v1/runs/{id}", runs<get_run>},
    {"GET", "/v1/runs/{id}/events", runs<get_run_events>},
    {"POST", "/v1/runs/{id}/cancel", runs<cancel_run>},
    {"POST", "/v1/runs/{id}/resume", runs<resume_run>},
    {"POST", "/v1/runs/{id}/fork", runs<fork_run>},
    {"POST", "/v1/runs/{id}/approvals", runs<answer_approval>},
    {"GET", "/v1/runs/{id}/checkpoints", runs<list_checkpoints>},
    {"GET", "/v1/runs/{id}/checkpoints/{checkpoint}", runs<get_checkpoint>},
    {"GET", "/v1/run-sessions", runs<list_run_sessions>},
    {"GET", "/v1/run-sessions/{id}", runs<get_run_session>},
    {"DELETE", "/v1/run-sessions/{id}", runs<delete_run_session>},
    {"GET", "/v1/models", runs<list_models>},
    {"GET", "/v1/agents", runs<list_agents>},
    {"GET", "/v1/agents/{name}/graph", runs<show_agent_graph>},
    {"GET", "/v1/tools", runs<list_tools>},
    {"GET", "/v1/study-kit", list_kit},
    {"GET", "/v1/study-kit/{study}", get_kit_study},
    {"POST", "/v1/study-kit/{study}/assign", assign_participant},
}};

void add(net::Router& router, const Context& context, const Route& route) {
  const access::Row& row = access::row_of(route.method, route.pattern);
  auth::Verifier& verifier =
      row.guests && context.guests != nullptr ? *context.guests : context.door();
  access::add_route(
      router, row, std::string(route.pattern), verifier,
      [&context, handler = route.handler](net::Request request, net::Responder responder,
                                          auth::Identity identity) {
        handler(context, Call{std::move(request), std::move(responder), std::move(identity)});
      });
}

void nothing_here(const Context&, Call call) {
  send_error(call, {core::Code::not_found,
                    "There is nothing at " + call.request.path +
                        ". GET /v1/openapi.json describes all paths.",
                    {}});
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

void install(net::Router& router, const Context& context) {
  for (const Route& route : kRoutes) add(router, context, route);
  // A key with an escaped slash matches no pattern above: its path has more segments.
  add(router, context, {"GET", "/v1/interactions/*", on_interaction});
  add(router, context, {"POST", "/v1/interactions/*", on_interaction});
  add(router, context, {"GET", "/v1/*", nothing_here});
  install_answer_links(router, context);
  install_authority(router, context);
  router.add("GET", "/v1/openapi.json", [](const net::Request& request, net::Responder responder) {
    static const net::StaticFiles files = openapi_files();
    responder.send(files.answer(request));
  });
}

std::string own_session_id(const auth::Identity& identity) {
  return session::assistant_workspace(identity.workspace).id;
}

void send_error(Call& call, const core::Error& error) {
  call.responder.send(net::Response::error(error));
}

void send_json(Call& call, int status, std::string body) {
  net::Response response = net::Response::json(status, std::move(body));
  response.headers.set("Cache-Control", "no-store");
  call.responder.send(std::move(response));
}

void write_time(core::JsonWriter& json, std::string_view name,
                const std::optional<core::WallTime>& at) {
  json.key(name);
  at ? json.number(core::to_unix_ms(*at)) : json.null();
}

void with_owned_session(const Context& context, Call call, std::string id, UseSession use) {
  const std::string own = own_session_id(call.identity);
  if (id.empty()) id = own;
  if (!core::is_safe_id(id)) {
    send_error(call, {core::Code::not_found, "No session has this id.", "session"});
    return;
  }
  core::Scheduler& scheduler = call.responder.scheduler();
  context.store.session(
      id, scheduler,
      [call = std::move(call), use = std::move(use), id,
       own](core::Result<event::SessionRow> row) mutable {
        const bool missing = !row && row.error().code == core::Code::not_found;
        if (missing && id == own) {
          event::SessionRow fresh;
          fresh.id = id;
          fresh.dialect = "assistant";
          fresh.owner = call.identity.workspace;
          use(std::move(call), std::move(fresh));
        } else if (!row && !missing) {
          send_error(call, row.error());
        } else if (missing || row->owner != call.identity.workspace) {
          send_error(call, {core::Code::not_found, "No session has this id.", "session"});
        } else {
          use(std::move(call), std::move(*row));
        }
      });
}

core::Result<std::uint64_t> query_number(const net::Request& request, std::string_view name,
                                         std::uint64_t fallback, std::uint64_t min,
                                         std::uint64_t max) {
  const auto text = request.query_param(name);
  if (!text) return fallback;
  const auto value = core::parse_number<std::uint64_t>(*text);
  if (!value || *value < min || *value > max) {
    return core::fail(core::Code::invalid_argument,
                      "\"" + std::string(name) + "\" must be a whole number from " +
                          std::to_string(min) + " to " + std::to_string(max) + ".",
                      std::string(name));
  }
  return *value;
}

std::vector<std::string> target_parts(const net::Request& request, std::string_view prefix) {
  std::string_view rest = request.target;
  if (const auto scheme = rest.find("://"); scheme != std::string_view::npos && scheme < 6) {
    const std::size_t slash = rest.find('/', scheme + 3);
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash);
  }
  rest = rest.substr(0, rest.find('?'));
  std::vector<std::string> parts;
  if (!rest.starts_with(prefix)) return parts;
  rest.remove_prefix(prefix.size());
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    if (slash != 0) {
      // The fallback is unreachable: the server refuses broken escapes before it calls a handler.
      parts.push_back(core::percent_decoded(rest.substr(0, slash)).value_or(std::string()));
    }
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  }
  return parts;
}

}  // namespace parley::api
