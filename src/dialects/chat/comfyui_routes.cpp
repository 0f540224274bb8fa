// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Routes of the ComfyUI servers and their files, for front ends, in their wrapper.
#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "dialects/chat/routes.h"
#include "dialects/chat/wrapper.h"
#include "identity/access/entrance.h"
#include "runtime/comfyui/server/server_registry.h"

namespace parley::chat {
namespace {

using comfyui::ComfyServer;
using comfyui::ServerDraft;
using comfyui::ServerPtr;
using core::Code;
using core::Result;

// Limit (ComfyUI servers and their tools): wait for a health check. Reached: UNHEALTHY.
constexpr core::Millis kHealthPatience{10'000};
// Limit of files fetched at the same time, of all callers together. Each fetch holds up to
// ClientOptions::max_file_bytes in memory.
// Limit (ComfyUI servers and their tools): files of `/view` at once, of all callers. Reached: 503.
constexpr int kMaxViews = 16;

// Types that a page shows without running code. SVG is excluded, because it may contain scripts.
constexpr std::array<std::string_view, 13> kMediaTypes = {
    "image/png",    "image/jpeg", "image/webp",      "image/gif",  "image/avif",
    "video/mp4",    "video/webm", "video/quicktime", "audio/mpeg", "audio/flac",
    "audio/x-flac", "audio/wav",  "audio/ogg"};

// A request without its responder.
struct ServerRequest {
  std::string id;  // empty: the request names no server
  bool admin = false;
  std::string body;
  comfyui::OutputFile file;  // as named in the query
};

core::Error no_server() { return {Code::not_found, "There is no such ComfyUI server.", "id"}; }

// Credentials are never written; only admins see whether there are any.
void write(core::JsonWriter& json, const ComfyServer& server, bool admin) {
  json.begin_object().key("id").string(server.id);
  json.key("createTime").string(date_text(server.created_at_ms));
  json.key("updateTime").string(date_text(server.updated_at_ms));
  json.key("serverKey").string(server.key).key("serverName").string(server.name);
  json.key("description").string(server.description).key("baseUrl").string(server.base_url);
  json.key("authMode").string(server.credentials.none() ? comfyui::kNoAuth : comfyui::kBasicAuth);
  json.key("timeoutSeconds").number(server.timeout_seconds);
  json.key("maxRetries").number(server.max_retries);
  json.key("isEnabled").boolean(server.enabled);
  json.key("healthStatus").string(comfyui::health_name(server.health));
  json.key("lastHealthCheckTime");
  server.checked_at_ms ? json.string(date_text(*server.checked_at_ms)) : json.null();
  if (admin) {
    json.key("hasCredentials").boolean(!server.credentials.none());
    json.key("fromSettings").boolean(server.from_settings);
    json.key("advancedFeaturesEnabled").boolean(false);
  }
  json.end_object();
}

void answer(WrappedResponder& call, const ComfyServer& server, bool admin) {
  std::string out;
  core::JsonWriter json(out);
  write(json, server, admin);
  call.data(out);
}

void answer_list(ChatContext& context, WrappedResponder& call, bool disabled_too, bool admin) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  for (const ServerPtr& server : context.comfyui->servers.all()) {
    if (server->enabled || disabled_too) write(json, *server, admin);
  }
  json.end_array();
  call.data(out);
}

// True if the caller may see the server: a disabled one is visible to admins only.
bool visible(const ServerPtr& server, const ServerRequest& request) {
  return server != nullptr && (server->enabled || request.admin);
}

// --- bodies --------------------------------------------------------------------------------------

Result<void> wrong_type(std::string_view name, std::string_view wanted) {
  return core::fail(Code::invalid_argument,
                    "\"" + std::string(name) + "\" must be " + std::string(wanted) + ".",
                    std::string(name));
}

// Parley runs no commands on other computers: a request for them is refused, not ignored.
Result<void> check_advanced(const WrappedBody& body) {
  const auto enabled = body.member("advancedFeaturesEnabled");
  const auto details = body.member("advancedFeatures");
  const bool wanted = (enabled && !(enabled->is_bool() && !enabled->get_bool().value())) || details;
  if (!wanted) return {};
  return core::fail(
      Code::invalid_argument,
      "Advanced features (commands over SSH or in a local shell of the ComfyUI server) are not "
      "supported: Parley talks to ComfyUI servers only over HTTP, and stores no SSH keys. Send "
      "advancedFeaturesEnabled false and no advancedFeatures.",
      "advancedFeatures");
}

Result<ServerDraft> read_draft(const std::string& text) {
  const WrappedBody body(text);
  ServerDraft out;
  for (const auto& [name, to] : {std::pair{"serverKey", &out.key},
                                 {"serverName", &out.name},
                                 {"description", &out.description},
                                 {"baseUrl", &out.base_url},
                                 {"authMode", &out.auth_mode},
                                 {"apiKey", &out.api_key}}) {
    PARLEY_TRY(std::optional<std::string> value, body.text(name));
    *to = std::move(value);
  }
  for (const auto& [name, to] :
       {std::pair{"timeoutSeconds", &out.timeout_seconds}, {"maxRetries", &out.max_retries}}) {
    const auto value = body.member(name);
    if (!value) continue;
    std::int64_t number = 0;
    if (value->get(number) != simdjson::SUCCESS) {
      return core::fail(wrong_type(name, "a whole number").error());
    }
    *to = number;
  }
  if (const auto value = body.member("isEnabled")) {
    bool enabled = true;
    if (value->get(enabled) != simdjson::SUCCESS) {
      return core::fail(wrong_type("isEnabled", "true or false").error());
    }
    out.enabled = enabled;
  }
  PARLEY_TRY_VOID(check_advanced(body));
  return out;
}

// --- routes --------------------------------------------------------------------------------------

void list_enabled(ChatContext& context, const ServerRequest& /*request*/, WrappedResponder call) {
  answer_list(context, call, false, false);
}

void list_servers(ChatContext& context, const ServerRequest& request, WrappedResponder call) {
  answer_list(context, call, request.admin, request.admin);
}

void get_server(ChatContext& context, const ServerRequest& request, WrappedResponder call) {
  const ServerPtr server = context.comfyui->servers.find(request.id);
  if (!visible(server, request)) return call.refuse(no_server());
  answer(call, *server, request.admin);
}

comfyui::ServerRegistry::Done<ServerPtr> answering(WrappedResponder call) {
  return [call = std::move(call)](const Result<ServerPtr>& server) mutable {
    if (!server) return call.refuse(server.error());
    answer(call, **server, true);
  };
}

void create_server(ChatContext& context, const ServerRequest& request, WrappedResponder call) {
  Result<ServerDraft> draft = read_draft(request.body);
  if (!draft) return call.refuse(draft.error());
  core::Scheduler& home = call.scheduler();
  context.comfyui->servers.create(std::move(*draft), home, answering(std::move(call)));
}

void update_server(ChatContext& context, const ServerRequest& request, WrappedResponder call) {
  Result<ServerDraft> draft = read_draft(request.body);
  if (!draft) return call.refuse(draft.error());
  core::Scheduler& home = call.scheduler();
  context.comfyui->servers.update(request.id, std::move(*draft), home, answering(std::move(call)));
}

void delete_server(ChatContext& context, const ServerRequest& request, WrappedResponder call) {
  core::Scheduler& home = call.scheduler();
  context.comfyui->servers.remove(request.id, home,
                                  [call = std::move(call)](const Result<void>& done) mutable {
                                    if (!done) return call.refuse(done.error());
                                    call.data("null");
                                  });
}

// Answers UNHEALTHY, and no error, if the server cannot be reached.
void check_health(ChatContext& context, const ServerRequest& request, WrappedResponder call) {
  const ServerPtr server = context.comfyui->servers.find(request.id);
  if (!visible(server, request)) return call.refuse(no_server());
  const auto slot = std::make_shared<AnswerSlot>(context.open_checks, kMaxHealthChecks);
  if (!slot->taken()) {
    return call.refuse({core::Code::resource_exhausted,
                        "Too many ComfyUI servers are being checked. Try again later.",
                        {}});
  }
  core::Scheduler& home = call.scheduler();
  const auto client = context.comfyui->client(*server, home);
  auto source = std::make_shared<core::CancelSource>();
  const core::TimerId timer = home.after(
      kHealthPatience, [source] { source->cancel("The ComfyUI server does not answer."); });
  client->system_stats(
      source->token(), [&context, &home, client, timer, server, slot, admin = request.admin,
                        call = std::move(call)](const Result<boost::json::object>& stats) mutable {
        home.cancel(timer);
        context.comfyui->servers.note_health(
            server->id, stats ? comfyui::Health::healthy : comfyui::Health::unhealthy);
        const ServerPtr now = context.comfyui->servers.find(server->id);
        if (now == nullptr) return call.refuse(no_server());
        answer(call, *now, admin);
      });
}

// --- files ---------------------------------------------------------------------------------------

// Unlike other routes this one answers with the HTTP status of the error, because pages load the
// file by its URL.
net::Response view_refusal(const core::Error& error) {
  net::Response response = wrapped_refusal(error);
  if (response.status == 200) response.status = 502;
  if (error.code == Code::not_found) response.status = 404;
  if (error.code == Code::resource_exhausted) response.status = 503;
  if (error.code == Code::deadline_exceeded) response.status = 504;
  return response;
}

// The type without its parameters, if it may be shown; else empty.
std::string_view media_type(std::string_view content_type) {
  const std::string type =
      core::lowered(core::trimmed(content_type.substr(0, content_type.find(';')), core::kBlanks));
  const auto* const found = std::find(kMediaTypes.begin(), kMediaTypes.end(), type);
  return found == kMediaTypes.end() ? std::string_view() : *found;
}

net::Response file_response(Result<comfyui::FileBytes> file) {
  if (!file) {
    // A 401 or 403 of the ComfyUI server is not caused by this caller's token.
    const bool theirs =
        file.error().code == Code::unauthenticated || file.error().code == Code::permission_denied;
    return view_refusal({theirs ? Code::unavailable : file.error().code, file.error().message, {}});
  }
  const std::string_view type = media_type(file->content_type);
  if (type.empty()) {
    return view_refusal(
        {Code::invalid_argument,
         "Only pictures, videos and sounds can be viewed; this file is of another type.",
         "filename"});
  }
  net::Response response;
  response.headers.set("Content-Type", std::string(type));
  response.headers.set("Content-Security-Policy", "sandbox; default-src 'none'");
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.headers.set("Content-Disposition", "inline");
  response.headers.set("Cache-Control", "private, max-age=3600");
  response.body = std::move(file->bytes);
  return response;
}

void view_file(ChatContext& context, const ServerRequest& request, WrappedResponder call) {
  const ServerPtr server = context.comfyui->servers.find(request.id);
  if (!visible(server, request)) return call.responder.send(view_refusal(no_server()));
  if (Result<void> fine = request.file.check(); !fine) {
    return call.responder.send(view_refusal(fine.error()));
  }
  const auto slot = std::make_shared<AnswerSlot>(context.open_views, kMaxViews);
  if (!slot->taken()) {
    return call.responder.send(
        view_refusal({Code::resource_exhausted,
                      "Too many files are being fetched from ComfyUI servers. Try again later.",
                      {}}));
  }
  core::Scheduler& home = call.scheduler();
  const auto client = context.comfyui->client(*server, home);
  auto source = std::make_shared<core::CancelSource>();
  call.responder.on_disconnect([source] { source->cancel("Nobody waits for the file any more."); });
  client->view(request.file, source->token(),
               [client, slot,
                responder = std::move(call.responder)](Result<comfyui::FileBytes> file) mutable {
                 responder.send(file_response(std::move(file)));
               });
}

ServerRequest read_request(ChatContext& context, net::Request& request,
                           const auth::Identity& identity) {
  ServerRequest out;
  out.id = request.path_param("id");
  if (const std::string_view key = request.path_param("serverKey"); !key.empty()) {
    const ServerPtr server = context.comfyui->servers.find_key(key);
    if (server != nullptr) out.id = server->id;
  }
  out.admin = identity.rights.has(auth::Right::admin);
  out.body = std::move(request.body);
  out.file.filename = request.query_param("filename").value_or("");
  out.file.subfolder = request.query_param("subfolder").value_or("");
  out.file.type = request.query_param("type").value_or("output");
  return out;
}

}  // namespace

void install_comfyui(net::Router& router, ChatContext& context) {
  if (context.comfyui == nullptr) return;
  using Handle = void (*)(ChatContext&, const ServerRequest&, WrappedResponder);
  struct Route {
    const char* method;
    const char* pattern;
    Handle handle;
  };
  static constexpr Route kRoutes[] = {
      {"GET", "/api/v1/comfyui-servers", list_servers},
      {"GET", "/api/v1/comfyui-servers/enabled", list_enabled},
      {"POST", "/api/v1/comfyui-servers", create_server},
      {"GET", "/api/v1/comfyui-servers/key/{serverKey}", get_server},
      {"PUT", "/api/v1/comfyui-servers/key/{serverKey}", update_server},
      {"DELETE", "/api/v1/comfyui-servers/key/{serverKey}", delete_server},
      {"GET", "/api/v1/comfyui-servers/{id}", get_server},
      {"PUT", "/api/v1/comfyui-servers/{id}", update_server},
      {"DELETE", "/api/v1/comfyui-servers/{id}", delete_server},
      {"POST", "/api/v1/comfyui-servers/{id}/health-check", check_health},
      {"GET", "/api/v1/comfyui-servers/{id}/view", view_file},
  };
  for (const Route& route : kRoutes) {
    access::add_route(
        router, access::row_of(route.method, route.pattern), route.pattern, context.verifier,
        [&context, handle = route.handle](net::Request request, net::Responder responder,
                                          const auth::Identity& identity) {
          handle(context, read_request(context, request, identity), {std::move(responder)});
        },
        wrapped_refusal);
  }
}

}  // namespace parley::chat
