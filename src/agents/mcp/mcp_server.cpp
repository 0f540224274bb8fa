// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/mcp_server.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/mcp/mcp_revision.h"
#include "base/core/json_member.h"
#include "base/core/json_parts.h"
#include "base/core/json_writer.h"

namespace parley::mcp {
namespace {

using boost::json::object;
using boost::json::value;

const object* object_at(const object& from, std::string_view name) {
  const value* found = from.if_contains(name);
  return found == nullptr ? nullptr : found->if_object();
}

std::string supported_data(std::string_view requested) {
  std::string data;
  core::JsonWriter json(data);
  json.begin_object().key("supported").begin_array().string(kModernRevision).end_array();
  json.key("requested").string(requested).end_object();
  return data;
}

// A token of progress is a string or an integer.
std::string progress_token_of(const object& meta) {
  const value* token = meta.if_contains("progressToken");
  if (token == nullptr || !(token->is_string() || token->is_int64() || token->is_uint64())) {
    return {};
  }
  return boost::json::serialize(*token);
}

bool is_on(const object& filter, std::string_view name) {
  return core::bool_member(filter, name, false);
}

std::set<std::string> strings_at(const object& filter, std::string_view name) {
  std::set<std::string> out;
  const value* found = filter.if_contains(name);
  if (found == nullptr || !found->is_array()) return out;
  for (const value& each : found->get_array()) {
    if (each.is_string() && out.size() < McpServer::kMaxSubscriptions) {
      out.emplace(each.get_string());
    }
  }
  return out;
}

void write_strings(core::JsonWriter& json, std::string_view name,
                   const std::set<std::string>& texts) {
  if (texts.empty()) return;
  json.key(name).begin_array();
  for (const std::string& text : texts) json.string(text);
  json.end_array();
}

std::string_view notification_of(Change::Kind kind) {
  switch (kind) {
    case Change::Kind::tools:
      return "notifications/tools/list_changed";
    case Change::Kind::prompts:
      return "notifications/prompts/list_changed";
    case Change::Kind::resources:
      return "notifications/resources/list_changed";
    case Change::Kind::resource:
      return "notifications/resources/updated";
    case Change::Kind::task:
      return "notifications/tasks";
  }
  return {};
}

// The members of the parameters of a change's notification, without braces.
std::string members_of(const Change& change) {
  if (change.kind == Change::Kind::task) return change.detail.substr(1, change.detail.size() - 2);
  if (change.kind != Change::Kind::resource) return {};
  std::string members = "\"uri\":";
  core::JsonWriter(members).string(change.what);
  return members;
}

}  // namespace

// The answers to one batch line, which are sent together.
struct McpServer::Batch {
  std::size_t open = 0;  // requests without an answer yet
  std::string answers;   // with commas, without brackets
};

McpServer::McpServer(Offer& offer, Identity identity, Send send)
    : offer_(offer), identity_(std::move(identity)), send_(std::move(send)) {}

McpServer::~McpServer() { close("The agent's MCP server has ended."); }

void McpServer::on_line(std::string_view line) {
  if (closed_) return;
  RpcLine read = parse_rpc_line(line);
  if (read.batch && negotiated_ > kLastWithBatches) {
    answer(nullptr,
           {rpc_error("null", kInvalidRequest,
                      "Invalid request: revision " + negotiated_ + " does not support batches"),
            {},
            true,
            kInvalidRequest});
    return;
  }
  std::shared_ptr<Batch> batch;
  if (read.batch) {
    batch = std::make_shared<Batch>();
    ++batch->open;  // kept until all messages are handled, so that one array is sent
  }
  for (RpcMessage& message : read.messages) receive(std::move(message), batch);
  if (batch) answer(batch, {});
}

void McpServer::on_oversized_line() {
  if (closed_) return;
  answer(nullptr, {rpc_error("null", kInvalidRequest,
                             "Invalid request: a line holds at most " +
                                 std::to_string(kMaxLineBytes) + " bytes; the line was skipped"),
                   {},
                   true,
                   kInvalidRequest});
}

void McpServer::on_message(RpcMessage message) {
  if (!closed_) receive(std::move(message), nullptr);
}

void McpServer::receive(RpcMessage message, const std::shared_ptr<Batch>& batch) {
  switch (message.kind) {
    case RpcMessage::Kind::response:
      return on_response(message);
    case RpcMessage::Kind::notification:
      return on_notification(message);
    case RpcMessage::Kind::invalid:
      if (batch) ++batch->open;
      return refuse(message, batch, message.error_code, message.error_text);
    case RpcMessage::Kind::request:
      if (batch) ++batch->open;
      return on_request(std::move(message), batch);
  }
}

void McpServer::on_request(RpcMessage message, const std::shared_ptr<Batch>& batch) {
  Exchange::Request request;
  request.id = message.id;
  request.key = rpc_id_key(message.id);
  request.method = message.method;
  if (!read_envelope(message, request, batch)) return;
  if (exchanges_.contains(request.key)) {
    return refuse(message, batch, kInvalidRequest,
                  "Invalid request: a request with this id is still open");
  }
  if (exchanges_.size() >= kMaxExchanges) {
    return refuse(message, batch, kInternalError,
                  "Too many requests are open (" + std::to_string(kMaxExchanges) +
                      "). Wait for one of them to end.");
  }
  if (object* params = message.params.if_object()) request.params = std::move(*params);
  const std::string key = request.key;
  const auto exchange = std::make_shared<Exchange>(*this, std::move(request));
  exchanges_.emplace(key, exchange);
  if (batch) batches_.emplace(key, batch);
  dispatch(exchange);
}

bool McpServer::read_envelope(const RpcMessage& message, Exchange::Request& request,
                              const std::shared_ptr<Batch>& batch) {
  static const object kNone;
  const object* params = message.params.if_object();
  const object* given = params == nullptr ? nullptr : object_at(*params, "_meta");
  const object& meta = given == nullptr ? kNone : *given;
  request.progress_token = progress_token_of(meta);
  const value* version = meta.if_contains(kVersionKey);
  if (version == nullptr) {
    request.client = {negotiated_, client_name_, client_capabilities_};
    request.log_level = log_level_;
    return true;
  }
  if (!version->is_string()) {
    refuse(message, batch, kInvalidParams,
           "_meta: " + std::string(kVersionKey) + " must be a string");
    return false;
  }
  if (version->get_string() != kModernRevision) {
    refuse(message, batch, kUnsupportedRevision, "Unsupported protocol version",
           supported_data(std::string_view(version->get_string())));
    return false;
  }
  const object* capabilities = object_at(meta, kCapabilitiesKey);
  if (capabilities == nullptr) {
    refuse(message, batch, kInvalidParams,
           "_meta: " + std::string(kCapabilitiesKey) + " must be an object");
    return false;
  }
  const object* client = object_at(meta, kClientInfoKey);
  request.client = {std::string(kModernRevision),
                    client == nullptr ? std::string() : core::string_member(*client, "name"),
                    *capabilities};
  request.log_level = log_level_named(core::string_member(meta, kLogLevelKey));
  return true;
}

void McpServer::dispatch(const ExchangePtr& exchange) {
  const std::string& method = exchange->method();
  const bool modern = exchange->client().modern();
  if (method == "server/discover") return discover(exchange);
  if (modern && method == "subscriptions/listen") return listen(exchange);
  if (!modern && dispatch_legacy(exchange)) return;
  if (!offer_.handle(exchange)) exchange->fail(kMethodNotFound, "Method not found: " + method);
}

bool McpServer::dispatch_legacy(const ExchangePtr& exchange) {
  const std::string& method = exchange->method();
  if (method == "initialize") return initialize(exchange), true;
  if (method == "ping") return exchange->reply("{}"), true;
  if (method == "logging/setLevel") return set_log_level(exchange), true;
  if (method == "resources/subscribe") return subscribe(exchange, true), true;
  if (method == "resources/unsubscribe") return subscribe(exchange, false), true;
  // These clients have no other way to ask for changes of the list.
  if (method == "resources/list") watch({.resource_list = true});
  return false;
}

void McpServer::write_capabilities(core::JsonWriter& json, std::string_view revision) const {
  json.key("capabilities").begin_object();
  offer_.write_capabilities(json, revision);
  json.key("logging").begin_object().end_object().end_object();
}

void McpServer::initialize(const ExchangePtr& exchange) {
  const object& params = exchange->params();
  const std::string asked = core::string_member(params, "protocolVersion");
  if (asked.empty()) {
    return exchange->fail(kInvalidParams, R"(initialize: "protocolVersion" must be a string)");
  }
  negotiated_ = is_legacy(asked) ? asked : std::string(kLegacyRevisions.front());
  const object* client = object_at(params, "clientInfo");
  client_name_ = client == nullptr ? std::string() : core::string_member(*client, "name");
  const object* capabilities = object_at(params, "capabilities");
  client_capabilities_ = capabilities == nullptr ? object() : *capabilities;
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("protocolVersion").string(negotiated_);
  write_capabilities(json, negotiated_);
  json.key("serverInfo").raw(server_info());
  json.key("instructions").string(offer_.instructions()).end_object();
  exchange->reply(result);
}

void McpServer::discover(const ExchangePtr& exchange) {
  if (!exchange->client().modern()) {
    return exchange->fail(
        kInvalidParams, "server/discover: _meta with " + std::string(kVersionKey) + " is missing");
  }
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("supportedVersions").begin_array().string(kModernRevision).end_array();
  write_capabilities(json, kModernRevision);
  json.key("instructions").string(offer_.instructions());
  json.key("ttlMs").number(0).key("cacheScope").string("private").end_object();
  exchange->reply(result);
}

void McpServer::set_log_level(const ExchangePtr& exchange) {
  const auto level = log_level_named(core::string_member(exchange->params(), "level"));
  if (!level) return exchange->fail(kInvalidParams, R"(logging/setLevel: unknown "level")");
  log_level_ = *level;
  exchange->reply("{}");
}

void McpServer::subscribe(const ExchangePtr& exchange, bool wanted) {
  std::string uri = core::string_member(exchange->params(), "uri");
  if (uri.empty()) return exchange->fail(kInvalidParams, R"("uri" must be a string)");
  if (!wanted) {
    subscribed_.erase(uri);
  } else if (subscribed_.size() >= kMaxSubscriptions) {
    return exchange->fail(kInvalidParams, "Too many subscriptions (" +
                                              std::to_string(kMaxSubscriptions) +
                                              "). Unsubscribe from one of them first.");
  } else {
    subscribed_.insert(uri);
    watch({.uris = {std::move(uri)}});
  }
  exchange->reply("{}");
}

void McpServer::listen(const ExchangePtr& exchange) {
  const object* filter = object_at(exchange->params(), "notifications");
  if (filter == nullptr) {
    return exchange->fail(kInvalidParams,
                          R"(subscriptions/listen: "notifications" must be an object)");
  }
  Listener listener{exchange,
                    is_on(*filter, "toolsListChanged"),
                    is_on(*filter, "promptsListChanged"),
                    is_on(*filter, "resourcesListChanged"),
                    strings_at(*filter, "resourceSubscriptions"),
                    strings_at(*filter, "taskIds")};
  if (filter->contains("taskIds") && !exchange->client().extends(kTasksExtension)) {
    return exchange->fail(kMissingCapability, "taskIds: the client does not declare tasks",
                          R"({"requiredCapabilities":{"extensions":{")" +
                              std::string(kTasksExtension) + R"(":{}}}})");
  }
  std::string params = R"({"_meta":{")" + std::string(kSubscriptionKey) + R"(":)" + exchange->id() +
                       R"(},"notifications":)";
  core::JsonWriter json(params);
  json.begin_object();
  if (listener.tools) json.key("toolsListChanged").boolean(true);
  if (listener.prompts) json.key("promptsListChanged").boolean(true);
  if (listener.resources) json.key("resourcesListChanged").boolean(true);
  write_strings(json, "resourceSubscriptions", listener.uris);
  write_strings(json, "taskIds", listener.tasks);
  json.end_object();
  params.push_back('}');
  exchange->notify("notifications/subscriptions/acknowledged", params);
  const Interests interests{{listener.uris.begin(), listener.uris.end()},
                            {listener.tasks.begin(), listener.tasks.end()},
                            listener.resources};
  listeners_.emplace(exchange->key(), std::move(listener));
  watch(interests);
}

void McpServer::watch(const Interests& interests) {
  offer_.watch(interests, [this](const Change& change) { on_change(change); });
}

void McpServer::on_change(const Change& change) {
  if (closed_) return;
  for (const auto& [key, listener] : listeners_) tell(listener, change);
  if (negotiated_.empty() || change.kind == Change::Kind::task) return;
  if (change.kind == Change::Kind::resource && !subscribed_.contains(change.what)) return;
  answer(nullptr, {rpc_notification(notification_of(change.kind), "{" + members_of(change) + "}"),
                   {},
                   false,
                   0});
}

void McpServer::tell(const Listener& listener, const Change& change) {
  const bool wanted =
      (change.kind == Change::Kind::tools && listener.tools) ||
      (change.kind == Change::Kind::prompts && listener.prompts) ||
      (change.kind == Change::Kind::resources && listener.resources) ||
      (change.kind == Change::Kind::resource && listener.uris.contains(change.what)) ||
      (change.kind == Change::Kind::task && listener.tasks.contains(change.what));
  if (!wanted) return;
  const std::string members = members_of(change);
  listener.exchange->notify(notification_of(change.kind),
                            R"({"_meta":{")" + std::string(kSubscriptionKey) +
                                "\":" + listener.exchange->id() + "}" +
                                (members.empty() ? "" : ",") + members + "}");
}

void McpServer::on_notification(const RpcMessage& message) {
  if (message.method != "notifications/cancelled") return;
  const object* params = message.params.if_object();
  const value* id = params == nullptr ? nullptr : params->if_contains("requestId");
  if (id == nullptr) return;
  const std::string why = core::string_member(*params, "reason");
  cancel(rpc_id_value_key(*id), why.empty() ? "The agent cancelled its request."
                                            : "The agent cancelled its request: " + why);
}

void McpServer::cancel(const std::string& key, std::string_view reason) {
  const auto found = exchanges_.find(key);
  if (found == exchanges_.end()) return;
  const ExchangePtr exchange = std::move(found->second);
  exchanges_.erase(found);
  listeners_.erase(key);
  withdraw_questions(key);
  const auto in_batch = batches_.extract(key);
  exchange->cancel(reason);
  if (in_batch) answer(in_batch.mapped(), {});
}

void McpServer::on_response(const RpcMessage& message) {
  const auto found = questions_.find(rpc_id_key(message.id));
  if (found == questions_.end()) return;
  Question question = std::move(found->second);
  questions_.erase(found);
  if (const object* result = message.params.if_object(); result != nullptr) {
    return question.done(*result);
  }
  question.done(core::fail(core::Code::failed_precondition, message.error_text));
}

void McpServer::ask_client(Exchange& exchange, std::string_view method, std::string_view params,
                           Exchange::Replied done) {
  const std::string id = "\"parley-" + std::to_string(++last_question_) + "\"";
  questions_.emplace(rpc_id_key(id), Question{exchange.key(), std::move(done)});
  std::string text;
  core::JsonWriter json(text);
  json.begin_object().key("jsonrpc").string("2.0").key("id").raw(id);
  json.key("method").string(method).key("params").raw(params).end_object();
  send_for(exchange, std::move(text));
}

// Withdraws what an ended exchange still asks its client.
void McpServer::withdraw_questions(const std::string& key) {
  for (auto at = questions_.begin(); at != questions_.end();) {
    if (at->second.exchange != key) {
      ++at;
      continue;
    }
    std::string params = R"({"requestId":)";
    core::JsonWriter(params).string(std::string_view(at->first).substr(1));
    params += R"(,"reason":"It was answered elsewhere."})";
    if (!closed_) {
      send_({rpc_notification("notifications/cancelled", params), key, false, 0});
    }
    at = questions_.erase(at);
  }
}

void McpServer::end_listening(std::string_view reason) {
  const auto listeners = listeners_;
  for (const auto& [key, listener] : listeners) {
    const std::string& id = listener.exchange->id();
    std::string params = R"({"requestId":)" + id + R"(,"reason":)";
    core::JsonWriter(params).string(reason);
    listener.exchange->notify("notifications/cancelled", params + "}");
    listener.exchange->reply("{}", "\"" + std::string(kSubscriptionKey) + "\":" + id);
  }
}

void McpServer::close(std::string_view reason) {
  if (closed_) return;
  closed_ = true;
  listeners_.clear();
  questions_.clear();
  for (const auto& [key, exchange] : std::exchange(exchanges_, {})) exchange->cancel(reason);
}

std::string McpServer::server_info() const {
  std::string info;
  core::JsonWriter json(info);
  json.begin_object().key("name").string(identity_.name).key("title").string(identity_.title);
  json.key("version").string(identity_.version).end_object();
  return info;
}

std::string McpServer::result_line(const Exchange& exchange, std::string_view result,
                                   std::string_view meta, std::string_view type) const {
  std::string members;
  if (exchange.client().modern()) {
    members = R"("resultType":")" + std::string(type) + R"(",)";
  }
  members += result.substr(1, result.size() - 2);
  if (members.ends_with(',')) members.pop_back();
  std::string all_meta(meta);
  if (exchange.client().modern()) {
    all_meta += (meta.empty() ? "\"" : ",\"") + std::string(kServerInfoKey) + "\":" + server_info();
  }
  if (!all_meta.empty()) members += (members.empty() ? "" : ",") + ("\"_meta\":{" + all_meta + "}");
  return rpc_result(exchange.id(), "{" + members + "}");
}

void McpServer::send_for(const Exchange& exchange, std::string line) {
  if (!closed_) send_({std::move(line), exchange.key(), false, 0});
}

void McpServer::end_exchange(Exchange& exchange, std::string line, int error) {
  const ExchangePtr owned = exchange.shared_from_this();
  withdraw_questions(exchange.key());
  const auto in_batch = batches_.extract(exchange.key());
  listeners_.erase(exchange.key());
  exchanges_.erase(exchange.key());
  answer(in_batch ? in_batch.mapped() : nullptr, {std::move(line), exchange.key(), true, error});
}

void McpServer::refuse(const RpcMessage& message, const std::shared_ptr<Batch>& batch, int code,
                       std::string_view text, std::string_view data) {
  answer(batch,
         {rpc_error(message.id, code, text, data), rpc_id_key(message.id), true, code, true});
}

// Sends an answer, or adds it to its batch. An empty text: the request gets no answer.
void McpServer::answer(const std::shared_ptr<Batch>& batch, Outgoing message) {
  if (!batch) {
    if (!closed_ && !message.text.empty()) send_(std::move(message));
    return;
  }
  if (!message.text.empty()) batch->answers += (batch->answers.empty() ? "" : ",") + message.text;
  if (--batch->open == 0 && !batch->answers.empty() && !closed_) {
    send_({"[" + batch->answers + "]", {}, true, 0});
  }
}

}  // namespace parley::mcp
