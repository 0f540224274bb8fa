// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/exchange.h"

#include <algorithm>
#include <array>
#include <utility>

#include "agents/mcp/json_rpc.h"
#include "agents/mcp/mcp_revision.h"
#include "agents/mcp/mcp_server.h"
#include "base/core/json_writer.h"

namespace parley::mcp {
namespace {

constexpr std::array<std::string_view, 8> kLogLevels = {"debug", "info",     "notice", "warning",
                                                        "error", "critical", "alert",  "emergency"};

}  // namespace

bool ClientFacts::modern() const { return revision == kModernRevision; }

bool ClientFacts::declares(std::string_view capability, std::string_view part) const {
  const boost::json::value* found = capabilities.if_contains(capability);
  if (found == nullptr || !found->is_object()) return false;
  return part.empty() || found->get_object().contains(part);
}

bool ClientFacts::extends(std::string_view extension) const {
  return declares("extensions", extension);
}

std::optional<int> log_level_named(std::string_view word) {
  const auto found = std::find(kLogLevels.begin(), kLogLevels.end(), word);
  if (found == kLogLevels.end()) return std::nullopt;
  return static_cast<int>(found - kLogLevels.begin());
}

Exchange::Exchange(McpServer& server, Request request)
    : server_(&server), request_(std::move(request)) {}

void Exchange::reply(std::string_view result, std::string_view meta, std::string_view type) {
  if (McpServer* server = std::exchange(server_, nullptr)) {
    server->end_exchange(*this, server->result_line(*this, result, meta, type), 0);
  }
}

void Exchange::fail(int code, std::string_view text, std::string_view data) {
  if (McpServer* server = std::exchange(server_, nullptr)) {
    server->end_exchange(*this, rpc_error(request_.id, code, text, data), code);
  }
}

void Exchange::fail(const core::Error& error) {
  const bool internal = error.code == core::Code::internal || error.code == core::Code::data_loss ||
                        error.code == core::Code::unavailable;
  fail(internal ? kInternalError : kInvalidParams, error.message);
}

void Exchange::notify(std::string_view method, std::string_view params) {
  if (server_ != nullptr) server_->send_for(*this, rpc_notification(method, params));
}

void Exchange::progress(std::int64_t done, std::int64_t total, std::string_view message) {
  if (!wants_progress()) return;
  std::string params;
  core::JsonWriter json(params);
  json.begin_object().key("progressToken").raw(request_.progress_token);
  json.key("progress").number(done).key("total").number(total);
  if (!message.empty()) json.key("message").string(message);
  json.end_object();
  notify("notifications/progress", params);
}

void Exchange::log(std::string_view level, std::string_view data) {
  if (!request_.log_level || log_level_named(level).value_or(0) < *request_.log_level) return;
  std::string params;
  core::JsonWriter json(params);
  json.begin_object().key("level").string(level).key("logger").string("parley");
  json.key("data").raw(data).end_object();
  notify("notifications/message", params);
}

void Exchange::ask_client(std::string_view method, std::string_view params, Replied done) {
  if (server_ != nullptr) server_->ask_client(*this, method, params, std::move(done));
}

void Exchange::cancel(std::string_view reason) {
  server_ = nullptr;
  if (Cancelled task = std::exchange(cancelled_, nullptr)) task(reason);
}

}  // namespace parley::mcp
