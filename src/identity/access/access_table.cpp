// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/access/access_table.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/core/assert.h"

namespace parley::access {
namespace {

using auth::Right;

constexpr Row open_to_all(std::string_view method, std::string_view where) {
  return {method, where, Need::nothing};
}
constexpr Row any_token(std::string_view method, std::string_view where) {
  return {method, where, Need::token};
}
constexpr Row needs(Right right, std::string_view method, std::string_view where) {
  return {method, where, Need::right, right};
}
// For the relay, studies and booking, whose existing clients send no token.
constexpr Row study_or_guest(std::string_view method, std::string_view where) {
  return {method, where, Need::right, Right::study, true};
}
constexpr Row shared(Row row) {
  row.shared = true;
  return row;
}
constexpr Row announced(Row row) {
  row.announced = true;
  return row;
}

constexpr auto kRows = std::to_array<Row>({
    // The server itself. A path without a row is a file of the console, or 404.
    open_to_all("GET", "/healthz"),
    open_to_all("GET", "/health"),
    open_to_all("GET", "/readyz"),
    open_to_all("GET", "/metrics"),
    open_to_all("POST", "/link/changes"),  // of other nodes of a cluster; 404 to all others
    open_to_all("GET", "/v1/openapi.json"),
    open_to_all("GET", "/ca.crt"),           // the certificate, no key
    open_to_all("GET", "/ca.mobileconfig"),  // the same, for Apple devices

    // Agent Assistant.
    needs(Right::ask, "POST", "/agentassistproto.SrvAgentAssist/AskQuestion"),
    needs(Right::ask, "POST", "/agentassistproto.SrvAgentAssist/TaskFinish"),
    needs(Right::ask, "POST", "/agentassistproto.SrvAgentAssist/WorkReport"),
    needs(Right::ask, "POST", "/agentassistproto.SrvAgentAssist/SendMcpClientInfo"),
    open_to_all("POST", "/agentassistproto.SrvAgentAssist/*"),  // no such method
    open_to_all("WS", "/ws"),                                   // the login decides
    needs(Right::read, "message", "/ws UserLogin"),
    needs(Right::answer, "message", "/ws AskQuestionReply"),
    needs(Right::answer, "message", "/ws TaskFinishReply"),
    needs(Right::answer, "message", "/ws WorkReportReply"),
    needs(Right::read, "message", "/ws CheckMessageValidity"),
    needs(Right::read, "message", "/ws GetPendingMessages"),
    needs(Right::read, "message", "/ws GetOnlineUsers"),
    needs(Right::answer, "message", "/ws SendChatMessage"),
    needs(Right::answer, "message", "/ws ForwardStateQuery"),
    needs(Right::answer, "message", "/ws ForwardStateQueryResponse"),
    needs(Right::answer, "message", "/ws ForwardStateChanged"),
    needs(Right::answer, "message", "/ws ForwardDeliveryError"),
    needs(Right::answer, "message", "/ws Answering"),

    // MCP over HTTP: the method of the message decides.
    any_token("POST", "/mcp"),
    any_token("GET", "/mcp"),
    any_token("DELETE", "/mcp"),
    needs(Right::ask, "message", "/mcp tools/call"),
    needs(Right::ask, "message", "/mcp tasks/get"),
    needs(Right::ask, "message", "/mcp tasks/update"),
    needs(Right::ask, "message", "/mcp tasks/cancel"),
    needs(Right::ask, "message", "/mcp tasks/result"),
    needs(Right::ask, "message", "/mcp tasks/list"),
    needs(Right::read, "message", "/mcp resources/list"),
    needs(Right::read, "message", "/mcp resources/read"),
    needs(Right::read, "message", "/mcp resources/templates/list"),
    needs(Right::read, "message", "/mcp resources/subscribe"),
    needs(Right::read, "message", "/mcp completion/complete"),

    // Logins of agents (mcp.oauth). /authorize checks the token that a person types.
    open_to_all("GET", "/.well-known/oauth-protected-resource/mcp"),
    open_to_all("GET", "/.well-known/oauth-protected-resource"),
    open_to_all("GET", "/.well-known/oauth-authorization-server"),
    shared(open_to_all("GET", "/authorize")),
    shared(open_to_all("POST", "/authorize")),
    announced(shared(open_to_all("POST", "/token"))),     // the code or the refresh token decides
    announced(shared(open_to_all("POST", "/revoke"))),    // the same
    announced(shared(open_to_all("POST", "/register"))),  // only with mcp.oauth_registration

    // Parley's own API: sessions and questions.
    any_token("GET", "/v1/me"),
    any_token("GET", "/v1/tls"),
    needs(Right::admin, "POST", "/v1/tailnet"),
    needs(Right::admin, "GET", "/v1/setup"),   // tells of the computer's programs
    needs(Right::admin, "GET", "/v1/rules"),   // of its agents' settings
    needs(Right::admin, "POST", "/v1/rules"),  // changes them
    needs(Right::admin, "DELETE", "/v1/rules/{id}"),
    needs(Right::read, "GET", "/v1/sessions"),
    needs(Right::read, "GET", "/v1/sessions/{id}"),
    needs(Right::read, "GET", "/v1/sessions/{id}/events"),
    needs(Right::read, "GET", "/v1/interactions"),
    needs(Right::ask, "POST", "/v1/interactions"),
    needs(Right::ask, "POST", "/v1/notices"),
    needs(Right::read, "GET", "/v1/interactions/{key}"),
    needs(Right::read, "GET", "/v1/interactions/*"),
    needs(Right::answer, "GET", "/v1/interactions/{key}/paths"),
    needs(Right::answer, "GET", "/v1/interactions/{key}/commands"),
    needs(Right::answer, "POST", "/v1/interactions/{key}/seen"),
    needs(Right::answer, "POST", "/v1/interactions/{key}/answer"),
    needs(Right::ask, "POST", "/v1/interactions/{key}/cancel"),
    needs(Right::read, "GET", "/v1/search"),
    needs(Right::read, "GET", "/v1/decisions"),
    needs(Right::read, "GET", "/v1/statistics"),
    any_token("POST", "/v1/interactions/*"),  // the end of the path decides
    any_token("GET", "/v1/*"),                // not found

    // Notifications.
    open_to_all("GET", "/a/{secret}"),   // the secret decides
    open_to_all("POST", "/a/{secret}"),  // the same
    needs(Right::admin, "GET", "/v1/notifiers"),
    needs(Right::admin, "POST", "/v1/notifiers/{name}/test"),
    needs(Right::answer, "GET", "/v1/push/key"),
    needs(Right::answer, "GET", "/v1/push/subscriptions"),
    needs(Right::answer, "POST", "/v1/push/subscriptions"),
    needs(Right::answer, "DELETE", "/v1/push/subscriptions/{id}"),
    needs(Right::answer, "POST", "/v1/push/subscriptions/{id}/test"),

    // Tokens.
    needs(Right::admin, "GET", "/v1/tokens"),
    announced(needs(Right::admin, "POST", "/v1/tokens")),
    announced(needs(Right::admin, "PATCH", "/v1/tokens/{name}")),
    announced(needs(Right::admin, "DELETE", "/v1/tokens/{name}")),

    // Runs.
    needs(Right::read, "GET", "/v1/runs"),
    needs(Right::run, "POST", "/v1/runs"),
    needs(Right::read, "GET", "/v1/runs/{id}"),
    needs(Right::read, "GET", "/v1/runs/{id}/events"),
    needs(Right::run, "POST", "/v1/runs/{id}/cancel"),
    needs(Right::run, "POST", "/v1/runs/{id}/resume"),
    needs(Right::run, "POST", "/v1/runs/{id}/fork"),
    needs(Right::answer, "POST", "/v1/runs/{id}/approvals"),
    needs(Right::read, "GET", "/v1/runs/{id}/checkpoints"),
    needs(Right::read, "GET", "/v1/runs/{id}/checkpoints/{checkpoint}"),
    needs(Right::read, "GET", "/v1/run-sessions"),
    needs(Right::read, "GET", "/v1/run-sessions/{id}"),
    needs(Right::run, "DELETE", "/v1/run-sessions/{id}"),
    needs(Right::read, "GET", "/v1/models"),
    needs(Right::read, "GET", "/v1/agents"),
    needs(Right::read, "GET", "/v1/agents/{name}/graph"),
    needs(Right::read, "GET", "/v1/tools"),

    // Loom.
    needs(Right::read, "WS", "/loom/ws"),
    needs(Right::run, "message", "/loom/ws run"),
    needs(Right::read, "message", "/loom/ws attach"),
    needs(Right::run, "message", "/loom/ws cancel_run"),
    needs(Right::answer, "message", "/loom/ws approve"),
    needs(Right::read, "message", "/loom/ws ping"),
    needs(Right::read, "message", "/loom/ws tools_list"),
    needs(Right::read, "message", "/loom/ws tool_show"),
    needs(Right::read, "message", "/loom/ws user_messages"),
    needs(Right::read, "message", "/loom/ws agent_list"),
    needs(Right::read, "message", "/loom/ws list_models"),
    needs(Right::run, "message", "/loom/ws set_model"),
    needs(Right::read, "message", "/loom/ws workspace_list"),
    needs(Right::run, "message", "/loom/ws workspace_create"),
    needs(Right::run, "message", "/loom/ws workspace_rename"),
    needs(Right::read, "message", "/loom/ws workspace_thread_list"),
    needs(Right::run, "message", "/loom/ws workspace_thread_add"),
    needs(Right::run, "message", "/loom/ws workspace_thread_remove"),

    // The chat.
    needs(Right::read, "WS", "/ws/chat/{sessionCode}"),
    needs(Right::read, "WS", "/ws/chat"),
    needs(Right::read, "WS", "/api/ws/chat/{sessionCode}"),
    needs(Right::read, "WS", "/api/ws/chat"),
    needs(Right::read, "WS", "/api/api/ws/chat"),
    needs(Right::run, "message", "/ws/chat USER_MESSAGE"),
    needs(Right::run, "message", "/ws/chat USER_ORDER"),
    needs(Right::answer, "message", "/ws/chat AGENT_TOOL_CALL_RESPONSE"),
    needs(Right::run, "message", "/ws/chat INTERRUPT"),
    needs(Right::read, "message", "/ws/chat PING"),
    needs(Right::run, "POST", "/api/v1/sessions"),
    needs(Right::read, "GET", "/api/v1/sessions"),
    needs(Right::read, "GET", "/api/v1/sessions/active"),
    needs(Right::read, "GET", "/api/v1/sessions/{sessionCode}"),
    needs(Right::read, "GET", "/api/v1/sessions/{sessionCode}/messages"),
    needs(Right::run, "PUT", "/api/v1/sessions/{sessionCode}"),
    needs(Right::run, "DELETE", "/api/v1/sessions/{sessionCode}"),
    needs(Right::read, "GET", "/api/v1/allowed-tools"),
    needs(Right::run, "DELETE", "/api/v1/allowed-tools/{toolName}"),
    needs(Right::read, "GET", "/api/v1/comfyui-servers"),
    needs(Right::read, "GET", "/api/v1/comfyui-servers/enabled"),
    needs(Right::admin, "POST", "/api/v1/comfyui-servers"),
    needs(Right::read, "GET", "/api/v1/comfyui-servers/key/{serverKey}"),
    needs(Right::admin, "PUT", "/api/v1/comfyui-servers/key/{serverKey}"),
    needs(Right::admin, "DELETE", "/api/v1/comfyui-servers/key/{serverKey}"),
    needs(Right::read, "GET", "/api/v1/comfyui-servers/{id}"),
    needs(Right::admin, "PUT", "/api/v1/comfyui-servers/{id}"),
    needs(Right::admin, "DELETE", "/api/v1/comfyui-servers/{id}"),
    needs(Right::read, "POST", "/api/v1/comfyui-servers/{id}/health-check"),
    needs(Right::read, "GET", "/api/v1/comfyui-servers/{id}/view"),

    // Users and logins of front ends.
    announced(open_to_all("POST", "/api/v1/auth/login")),
    announced(open_to_all("POST", "/api/v1/auth/refresh")),
    announced(any_token("POST", "/api/v1/auth/logout")),
    announced(open_to_all("POST", "/api/v1/auth/register")),
    open_to_all("POST", "/api/v1/auth/forgot-password"),
    announced(open_to_all("POST", "/api/v1/auth/reset-password")),
    any_token("GET", "/api/v1/users/me"),
    announced(any_token("PUT", "/api/v1/users/me")),
    any_token("GET", "/api/v1/permissions/my-roles"),
    any_token("GET", "/api/v1/permissions/my-permissions"),
    needs(Right::admin, "GET", "/api/v1/users"),
    announced(needs(Right::admin, "POST", "/api/v1/users")),
    announced(needs(Right::admin, "PUT", "/api/v1/users/{id}")),
    announced(needs(Right::admin, "DELETE", "/api/v1/users/{id}")),
    // Routes of front ends beside the chat itself.
    needs(Right::read, "GET", "/api/v1/agents"),
    needs(Right::read, "GET", "/api/v1/agents/{id}"),
    needs(Right::admin, "POST", "/api/v1/agents/{id}/enable"),
    needs(Right::admin, "POST", "/api/v1/agents/{id}/disable"),
    needs(Right::read, "GET", "/api/v1/agents/runtime/enabled"),
    needs(Right::read, "GET", "/api/v1/agents/runtime/code/{agentCode}"),
    needs(Right::read, "GET", "/api/v1/agents/runtime/getUserAgentConfigs"),
    needs(Right::run, "POST", "/api/v1/agents/runtime/updateUserAgentConfig"),
    needs(Right::read, "GET", "/api/v1/models"),
    needs(Right::read, "GET", "/api/v1/models/enabled"),
    needs(Right::read, "GET", "/api/v1/models/config-format"),
    needs(Right::read, "GET", "/api/v1/models/{id}"),
    needs(Right::admin, "POST", "/api/v1/models"),
    needs(Right::admin, "PUT", "/api/v1/models/{id}"),
    needs(Right::admin, "DELETE", "/api/v1/models/{id}"),
    needs(Right::admin, "POST", "/api/v1/models/{id}/enable"),
    needs(Right::admin, "POST", "/api/v1/models/{id}/disable"),
    needs(Right::read, "GET", "/api/v1/model-providers"),
    needs(Right::admin, "POST", "/api/v1/model-providers"),
    needs(Right::read, "GET", "/api/v1/model-providers/{id}"),
    needs(Right::admin, "PUT", "/api/v1/model-providers/{id}"),
    needs(Right::admin, "DELETE", "/api/v1/model-providers/{id}"),
    needs(Right::read, "GET", "/api/v1/workflows"),
    needs(Right::run, "POST", "/api/v1/workflows"),
    needs(Right::read, "GET", "/api/v1/workflows/{id}"),
    needs(Right::run, "PUT", "/api/v1/workflows/{id}"),
    needs(Right::run, "DELETE", "/api/v1/workflows/{id}"),
    needs(Right::read, "GET", "/api/v1/workflows/{id}/content"),
    needs(Right::run, "POST", "/api/v1/workflows/{id}/content"),
    needs(Right::read, "GET", "/api/v1/workflows/{id}/versions"),
    needs(Right::run, "POST", "/api/v1/workflows/{id}/versions"),
    needs(Right::read, "GET", "/api/v1/workflows/{id}/versions/{versionCode}"),
    needs(Right::run, "POST", "/api/v1/files/upload"),
    needs(Right::run, "POST", "/api/v1/files/upload/batch"),
    needs(Right::read, "GET", "/api/v1/files/download/{storedName}"),
    needs(Right::read, "GET", "/api/v1/files/user"),
    needs(Right::read, "GET", "/api/v1/files/business"),
    needs(Right::run, "DELETE", "/api/v1/files/{storedName}"),

    // External agents and studies.
    study_or_guest("WS", "/agent/ws"),
    open_to_all("GET", "/agent/ws"),  // 404: the path serves a WebSocket only
    needs(Right::study, "GET", "/v1/studies"),
    needs(Right::study, "GET", "/v1/studies/summary"),
    needs(Right::study, "GET", "/v1/studies/{id}"),
    needs(Right::study, "GET", "/v1/studies/{id}/log"),
    needs(Right::study, "GET", "/v1/studies/{id}/calls.csv"),
    needs(Right::study, "GET", "/v1/studies/{id}/verify"),
    study_or_guest("GET", "/v1/study-kit"),
    study_or_guest("GET", "/v1/study-kit/{study}"),
    study_or_guest("POST", "/v1/study-kit/{study}/assign"),

    // The booking backend; the same below `booking.prefix`.
    open_to_all("GET", "/v1/booking/health"),
    shared(study_or_guest("GET", "/v1/booking/movies")),
    shared(study_or_guest("GET", "/v1/booking/movies/{id}")),
    shared(study_or_guest("GET", "/v1/booking/theaters")),
    shared(study_or_guest("GET", "/v1/booking/theaters/movie/{movieId}")),
    shared(study_or_guest("GET", "/v1/booking/theaters/{id}")),
    shared(study_or_guest("GET", "/v1/booking/showings")),
    shared(study_or_guest("GET", "/v1/booking/showings/dates")),
    shared(study_or_guest("GET", "/v1/booking/showings/times")),
    shared(study_or_guest("GET", "/v1/booking/showings/{id}")),
    shared(study_or_guest("GET", "/v1/booking/seats/{showingId}")),
    shared(study_or_guest("GET", "/v1/booking/ticket-types")),
    shared(study_or_guest("POST", "/v1/booking/bookings")),
    shared(study_or_guest("GET", "/v1/booking/bookings/{id}")),
    shared(study_or_guest("DELETE", "/v1/booking/bookings/{id}")),
    shared(study_or_guest("POST", "/v1/booking/datasets")),
    shared(study_or_guest("GET", "/v1/booking/*")),  // not found
    shared(study_or_guest("POST", "/v1/booking/*")),
    shared(study_or_guest("PUT", "/v1/booking/*")),
    shared(study_or_guest("PATCH", "/v1/booking/*")),
    shared(study_or_guest("DELETE", "/v1/booking/*")),
});

}  // namespace

std::span<const Row> rows() { return kRows; }

const Row* find_row(std::string_view method, std::string_view where) {
  const auto* const found = std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) {
    return row.method == method && row.where == where;
  });
  return found == kRows.end() ? nullptr : found;
}

const Row& row_of(std::string_view method, std::string_view where) {
  const Row* row = find_row(method, where);
  PARLEY_ASSERT(row != nullptr, std::string(method) + " " + std::string(where) +
                                    " has no row in identity/access/access_table.cpp");
  return *row;
}

std::string booking_base(std::string_view prefix) {
  std::string base(prefix);
  if (!base.empty() && base.front() != '/') base.insert(0, "/");
  while (base.ends_with('/')) base.pop_back();
  return base;
}

const Row* row_of_route(std::string_view method, std::string_view pattern,
                        std::string_view booking_prefix) {
  const Row* const row = find_row(method, pattern);
  const std::string base = booking_base(booking_prefix);
  if (row != nullptr || booking_prefix.empty() || !pattern.starts_with(base)) return row;
  return find_row(method, std::string(kBookingBase) + std::string(pattern.substr(base.size())));
}

std::optional<auth::Right> missing(const Row& row, auth::Rights rights) {
  if (row.need != Need::right || rights.has(row.right)) return std::nullopt;
  return row.right;
}

std::string need_text(const Row& row) {
  if (row.need == Need::nothing) return "open";
  if (row.need == Need::token) return "any token";
  std::string text = "`" + std::string(auth::right_name(row.right)) + "`";
  if (row.guests) text += ", guests";
  return text;
}

}  // namespace parley::access
