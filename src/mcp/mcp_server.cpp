// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "mcp/mcp_server.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <utility>

#include "core/json_member.h"
#include "core/json_writer.h"
#include "mcp/tool_result.h"

namespace parley::mcp {
namespace {

using boost::json::object;
using boost::json::value;

constexpr std::string_view kModern = "2026-07-28";
// Revisions that begin with `initialize`, newest first.
constexpr std::array<std::string_view, 4> kLegacy = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                     "2024-11-05"};
constexpr std::string_view kLastWithBatches = "2025-03-26";
constexpr int kUnsupportedProtocolVersion = -32022;

constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kClientInfoKey = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view kServerInfoKey = "io.modelcontextprotocol/serverInfo";

constexpr std::string_view kInstructions =
    "These tools reach the person you work for. Use ask_question whenever you need a decision or a "
    "fact that only the person has, instead of guessing. Use task_finish (or work_report) before "
    "you end your work, and act on the feedback. Calls block until the person answers or the "
    "timeout passes; choose a generous timeout.";

const value* member(const value& from, std::string_view name) {
  const object* fields = from.if_object();
  return fields == nullptr ? nullptr : fields->if_contains(name);
}

std::string string_member(const value& from, std::string_view name) {
  const object* fields = from.if_object();
  return fields == nullptr ? std::string() : core::string_member(*fields, name);
}

std::string supported_data(std::string_view requested) {
  std::string data;
  core::JsonWriter json(data);
  json.begin_object().key("supported").begin_array().string(kModern);
  for (const std::string_view version : kLegacy) json.string(version);
  json.end_array().key("requested").string(requested).end_object();
  return data;
}

}  // namespace

// The answers to one batch line, which are sent together.
struct McpServer::Batch {
  std::size_t open = 0;  // requests without an answer yet
  std::string answers;   // with commas, without brackets
};

struct McpServer::Request {
  RpcMessage message;
  std::shared_ptr<Batch> batch;  // null: not part of a batch
  bool modern = false;
};

struct McpServer::Call {
  Request request;
  std::string progress_token;  // JSON; empty: none
  std::vector<std::string> notes;
  core::Millis timeout{};
  core::MonoTime began;
  core::TimerId progress_timer = 0;
  CallId assistant_call = 0;
};

McpServer::McpServer(core::Scheduler& scheduler, AssistantCalls& assistant, std::string version,
                     ToolChoice tools, Send send)
    : scheduler_(scheduler),
      assistant_(assistant),
      version_(std::move(version)),
      tools_(tools),
      send_(std::move(send)) {}

McpServer::~McpServer() { close("The agent's MCP server has ended."); }

void McpServer::on_line(std::string_view line) {
  if (closed_) return;
  RpcLine read = parse_rpc_line(line);
  if (read.batch && negotiated_ > kLastWithBatches) {
    send_(rpc_error("null", kInvalidRequest,
                    "Invalid request: revision " + negotiated_ + " does not support batches"));
    return;
  }
  std::shared_ptr<Batch> batch;
  if (read.batch) {
    batch = std::make_shared<Batch>();
    ++batch->open;  // kept until all messages are handled, so that one array is sent
  }
  for (RpcMessage& message : read.messages) on_message(std::move(message), batch);
  if (batch) answer(batch, {});
}

void McpServer::on_oversized_line() {
  if (closed_) return;
  send_(rpc_error("null", kInvalidRequest,
                  "Invalid request: a line holds at most " + std::to_string(kMaxLineBytes) +
                      " bytes; the line was skipped"));
}

void McpServer::on_message(RpcMessage message, const std::shared_ptr<Batch>& batch) {
  switch (message.kind) {
    case RpcMessage::Kind::response:
      return;
    case RpcMessage::Kind::notification:
      on_notification(message);
      return;
    case RpcMessage::Kind::invalid:
      if (batch) ++batch->open;
      answer(batch, rpc_error(message.id, message.error_code, message.error_text));
      return;
    case RpcMessage::Kind::request: {
      if (batch) ++batch->open;
      Request request{std::move(message), batch};
      on_request(request);
      return;
    }
  }
}

// Determines the request's generation of MCP and checks its envelope (revision 2026-07-28).
void McpServer::on_request(Request& request) {
  const value* meta = member(request.message.params, "_meta");
  const value* version = meta == nullptr ? nullptr : member(*meta, kVersionKey);
  if (version == nullptr) {
    dispatch(request);
    return;
  }
  if (!version->is_string()) {
    answer_error(request, kInvalidParams,
                 "_meta: " + std::string(kVersionKey) + " must be a string");
    return;
  }
  if (version->get_string() != kModern) {
    answer_error(request, kUnsupportedProtocolVersion, "Unsupported protocol version",
                 supported_data(std::string_view(version->get_string())));
    return;
  }
  const value* capabilities = member(*meta, kCapabilitiesKey);
  if (capabilities == nullptr || !capabilities->is_object()) {
    answer_error(request, kInvalidParams,
                 "_meta: " + std::string(kCapabilitiesKey) + " must be an object");
    return;
  }
  request.modern = true;
  dispatch(request);
}

void McpServer::dispatch(Request& request) {
  const std::string& method = request.message.method;
  if (method == "tools/call") return call_tool(request);
  if (method == "tools/list") return list_tools(request);
  if (method == "server/discover") return discover(request);
  if (method == "initialize" && !request.modern) return initialize(request);
  if (method == "ping" || (method == "logging/setLevel" && !request.modern)) {
    return answer_result(request, request.modern ? "{" + modern_meta() + "}" : "{}");
  }
  answer_error(request, kMethodNotFound, "Method not found: " + method);
}

void McpServer::initialize(Request& request) {
  const value& params = request.message.params;
  const std::string asked = string_member(params, "protocolVersion");
  if (asked.empty()) {
    return answer_error(request, kInvalidParams,
                        R"(initialize: "protocolVersion" must be a string)");
  }
  const bool known = std::find(kLegacy.begin(), kLegacy.end(), asked) != kLegacy.end();
  negotiated_ = known ? asked : std::string(kLegacy.front());
  const value* client = member(params, "clientInfo");
  client_name_ = client == nullptr ? std::string() : string_member(*client, "name");
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("protocolVersion").string(negotiated_);
  json.key("capabilities").begin_object().key("tools").begin_object().end_object();
  json.key("logging").begin_object().end_object().end_object();
  json.key("serverInfo").raw(server_info());
  json.key("instructions").string(kInstructions).end_object();
  answer_result(request, result);
}

void McpServer::discover(Request& request) {
  if (!request.modern) {
    return answer_error(request, kInvalidParams,
                        "server/discover: _meta with " + std::string(kVersionKey) + " is missing");
  }
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("supportedVersions").begin_array().string(kModern);
  for (const std::string_view version : kLegacy) json.string(version);
  json.end_array();
  json.key("capabilities").begin_object().key("tools").begin_object().end_object().end_object();
  json.key("instructions").string(kInstructions);
  json.key("ttlMs").number(0).key("cacheScope").string("private");
  json.end_object();
  result.insert(result.size() - 1, "," + modern_meta());
  answer_result(request, result);
}

void McpServer::list_tools(Request& request) {
  const value* cursor = member(request.message.params, "cursor");
  if (cursor != nullptr && !cursor->is_null()) {
    return answer_error(request, kInvalidParams, "tools/list: unknown cursor");
  }
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("tools");
  write_tools(json, tools_);
  if (request.modern) json.key("ttlMs").number(0).key("cacheScope").string("private");
  json.end_object();
  if (request.modern) result.insert(result.size() - 1, "," + modern_meta());
  answer_result(request, result);
}

void McpServer::call_tool(Request& request) {
  const value& params = request.message.params;
  const std::string name = string_member(params, "name");
  if (name.empty()) {
    return answer_error(request, kInvalidParams, R"(tools/call: "name" must be a string)");
  }
  const std::optional<AssistantCall::Kind> tool = find_tool(name, tools_);
  if (!tool) return answer_error(request, kInvalidParams, "Unknown tool: " + name);
  const value* given = member(params, "arguments");
  if (given != nullptr && !given->is_object() && !given->is_null()) {
    return answer_error(request, kInvalidParams, R"(tools/call: "arguments" must be an object)");
  }
  if (calls_.contains(rpc_id_key(request.message.id))) {
    return answer_error(request, kInvalidRequest,
                        "Invalid request: a call with this id is still waiting");
  }
  core::Result<ToolArguments> arguments =
      read_arguments(*tool, given == nullptr ? value() : *given);
  std::string refusal;
  if (!arguments) {
    refusal = arguments.error().message;
  } else if (calls_.size() >= kMaxCalls) {
    refusal = "Too many calls are waiting for an answer (256). Wait for one of them to end.";
  }
  if (refusal.empty()) return start_call(request, *std::move(arguments));
  std::string result;
  core::JsonWriter json(result);
  json.begin_object();
  if (request.modern) json.key("resultType").string("complete");
  write_tool_error(
      json, refusal,
      request.modern ? "\"" + std::string(kServerInfoKey) + "\":" + server_info() : "");
  json.end_object();
  answer_result(request, result);
}

void McpServer::start_call(Request& request, ToolArguments arguments) {
  const std::string key = rpc_id_key(request.message.id);
  auto call = std::make_unique<Call>();
  arguments.call.client_name = client_name(request);
  call->notes = std::move(arguments.notes);
  call->timeout = arguments.call.timeout;
  call->began = scheduler_.clock().mono();
  if (const value* meta = member(request.message.params, "_meta"); meta != nullptr) {
    const value* token = member(*meta, "progressToken");
    if (token != nullptr && (token->is_string() || token->is_int64() || token->is_uint64())) {
      call->progress_token = boost::json::serialize(*token);
    }
  }
  request.message.params = nullptr;
  call->request = std::move(request);
  Call& stored = *(calls_[key] = std::move(call));
  if (!stored.progress_token.empty()) {
    stored.progress_timer = scheduler_.after(kProgressEvery, [this, key] { send_progress(key); });
  }
  stored.assistant_call =
      assistant_.start(std::move(arguments.call),
                       [this, key](const AssistantOutcome& outcome) { on_outcome(key, outcome); });
}

void McpServer::on_outcome(const std::string& key, const AssistantOutcome& outcome) {
  const auto found = calls_.find(key);
  if (found == calls_.end()) return;
  const std::unique_ptr<Call> call = std::move(found->second);
  calls_.erase(found);
  scheduler_.cancel(call->progress_timer);
  const bool modern = call->request.modern;
  std::string result;
  core::JsonWriter json(result);
  json.begin_object();
  if (modern) json.key("resultType").string("complete");
  write_tool_result(json, outcome, call->notes,
                    modern ? "\"" + std::string(kServerInfoKey) + "\":" + server_info() : "");
  json.end_object();
  answer_result(call->request, result);
}

void McpServer::send_progress(const std::string& key) {
  const auto found = calls_.find(key);
  if (found == calls_.end()) return;
  Call& call = *found->second;
  const auto waited =
      std::chrono::duration_cast<std::chrono::seconds>(scheduler_.clock().mono() - call.began);
  const auto total = std::chrono::ceil<std::chrono::seconds>(call.timeout);
  std::string params;
  core::JsonWriter json(params);
  json.begin_object().key("progressToken").raw(call.progress_token);
  json.key("progress").number(static_cast<std::int64_t>(waited.count()));
  json.key("total").number(static_cast<std::int64_t>(total.count()));
  json.key("message").string(assistant_.status(call.assistant_call)).end_object();
  call.progress_timer = scheduler_.after(kProgressEvery, [this, key] { send_progress(key); });
  send_(rpc_notification("notifications/progress", params));
}

void McpServer::on_notification(const RpcMessage& message) {
  if (message.method == "notifications/cancelled") on_cancelled(message);
}

void McpServer::on_cancelled(const RpcMessage& message) {
  const value* id = member(message.params, "requestId");
  if (id == nullptr) return;
  const auto found = calls_.find(rpc_id_value_key(*id));
  if (found == calls_.end()) return;
  const std::unique_ptr<Call> call = std::move(found->second);
  calls_.erase(found);
  scheduler_.cancel(call->progress_timer);
  const std::string why = string_member(message.params, "reason");
  assistant_.cancel(call->assistant_call, why.empty() ? "The agent cancelled its request."
                                                      : "The agent cancelled its request: " + why);
  if (call->request.batch) answer(call->request.batch, {});
}

void McpServer::close(std::string_view reason) {
  if (closed_) return;
  closed_ = true;
  for (const auto& [key, call] : calls_) {
    scheduler_.cancel(call->progress_timer);
    assistant_.cancel(call->assistant_call, reason);
  }
  calls_.clear();
}

std::string McpServer::client_name(const Request& request) const {
  if (!request.modern) return client_name_;
  const value* meta = member(request.message.params, "_meta");
  const value* client = meta == nullptr ? nullptr : member(*meta, kClientInfoKey);
  return client == nullptr ? std::string() : string_member(*client, "name");
}

std::string McpServer::server_info() const {
  std::string info;
  core::JsonWriter json(info);
  json.begin_object().key("name").string(kName).key("title").string("Agent Assistant");
  json.key("version").string(version_).end_object();
  return info;
}

// The members that revision 2026-07-28 adds to each result.
std::string McpServer::modern_meta() const {
  return R"("resultType":"complete","_meta":{")" + std::string(kServerInfoKey) +
         "\":" + server_info() + "}";
}

// Sends an answer, or adds it to its batch. An empty line: the request gets no answer.
void McpServer::answer(const std::shared_ptr<Batch>& batch, std::string line) {
  if (!batch) {
    if (!closed_ && !line.empty()) send_(std::move(line));
    return;
  }
  if (!line.empty()) batch->answers += (batch->answers.empty() ? "" : ",") + line;
  if (--batch->open == 0 && !batch->answers.empty() && !closed_) {
    send_("[" + batch->answers + "]");
  }
}

void McpServer::answer_result(const Request& request, std::string_view result) {
  answer(request.batch, rpc_result(request.message.id, result));
}

void McpServer::answer_error(const Request& request, int code, std::string_view text,
                             std::string_view data) {
  answer(request.batch, rpc_error(request.message.id, code, text, data));
}

}  // namespace parley::mcp
