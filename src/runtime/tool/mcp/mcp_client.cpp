// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/mcp/mcp_client.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <iterator>
#include <utility>

#include "base/core/ask.h"
#include "base/core/json_member.h"

namespace parley::tool {

using boost::json::object;
using boost::json::value;
using core::Code;
using core::Result;

namespace {

constexpr int kMethodNotFound = -32601;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxTextBytes = 64U << 10U;  // of a description or a schema

const object* object_of(const object& from, std::string_view member) {
  const value* found = from.if_contains(member);
  return found == nullptr ? nullptr : found->if_object();
}

// Id of a request of this client, which is a whole number; 0 for any other value.
std::int64_t number_of(const value* from) {
  if (from == nullptr || !from->is_number()) return 0;
  boost::json::error_code error;
  const auto number = from->to_number<std::int64_t>(error);
  return error ? 0 : number;
}

std::string number_in_words(const value& number) {
  boost::json::error_code error;
  const auto whole = number.to_number<std::int64_t>(error);
  return error ? boost::json::serialize(number) : std::to_string(whole);
}

bool read_tool(const value& item, McpToolInfo& out) {
  const object* tool = item.if_object();
  if (tool == nullptr) return false;
  out.name = std::string(core::text_member(*tool, "name"));
  out.description = std::string(core::text_member(*tool, "description").substr(0, kMaxTextBytes));
  if (out.description.empty()) out.description = std::string(core::text_member(*tool, "title"));
  const object* schema = object_of(*tool, "inputSchema");
  out.input_schema = schema == nullptr ? R"({"type":"object"})" : boost::json::serialize(*schema);
  if (const object* annotations = object_of(*tool, "annotations")) {
    const value* hint = annotations->if_contains("readOnlyHint");
    out.read_only = hint != nullptr && hint->is_bool() && hint->get_bool();
  }
  return !out.name.empty() && out.input_schema.size() <= kMaxTextBytes;
}

}  // namespace

struct McpClient::Listing {
  std::vector<McpToolInfo> tools;
  std::string cursor;
  std::size_t pages = 0;
  Done<std::vector<McpToolInfo>> done;
};

tl::unexpected<core::Error> McpClient::failed(Code code, const std::string& what) const {
  return core::fail(code, "MCP server " + name_ + ": " + what + (what.ends_with('.') ? "" : "."));
}

// --- requests --------------------------------------------------------------------------------

void McpClient::initialize(Events events, Done<void> done) {
  events_ = std::move(events);
  McpTransport::Events transport;
  transport.on_message = core::unless_gone(weak_from_this(), &McpClient::on_text);
  transport.on_lost = core::unless_gone(
      weak_from_this(), [](McpClient& self, std::int64_t id, const std::string& why) {
        self.settle(id, self.failed(Code::unavailable, why));
      });
  transport.on_closed = core::unless_gone(weak_from_this(), &McpClient::on_closed);
  transport_->open(std::move(transport));
  object info;
  info["name"] = "parley";
  info["version"] = options_.version;
  object params;
  params["protocolVersion"] = kProtocolVersions[0];
  params["capabilities"] = object();
  params["clientInfo"] = std::move(info);
  request("initialize", std::move(params), options_.initialize_timeout, {},
          [self = shared_from_this(), done = std::move(done)](Result<value> result) mutable {
            self->on_initialized(std::move(result), std::move(done));
          });
}

void McpClient::on_initialized(Result<value> result, Done<void> done) {
  if (!result) return done(core::fail(result.error()));
  const object* answer = result->if_object();
  const std::string version(answer == nullptr ? std::string_view()
                                              : core::text_member(*answer, "protocolVersion"));
  const bool known = std::find(std::begin(kProtocolVersions), std::end(kProtocolVersions),
                               version) != std::end(kProtocolVersions);
  if (!known) {
    return done(failed(Code::unavailable, "it uses version \"" + version +
                                              "\" of the protocol, which is not supported"));
  }
  transport_->agreed(version);
  notify("notifications/initialized", {});
  done(Result<void>());
}

void McpClient::list_tools(Done<std::vector<McpToolInfo>> done) {
  auto listing = std::make_shared<Listing>();
  listing->done = std::move(done);
  list_page(std::move(listing));
}

void McpClient::list_page(std::shared_ptr<Listing> listing) {
  object params;
  if (!listing->cursor.empty()) params["cursor"] = listing->cursor;
  request("tools/list", std::move(params), options_.list_timeout, {},
          [self = shared_from_this(), listing](Result<value> result) {
            self->on_page(listing, std::move(result));
          });
}

void McpClient::on_page(const std::shared_ptr<Listing>& listing, Result<value> result) {
  if (!result) return listing->done(core::fail(result.error()));
  const object* page = result->if_object();
  const value* tools = page == nullptr ? nullptr : page->if_contains("tools");
  if (tools == nullptr || !tools->is_array()) {
    return listing->done(failed(Code::data_loss, "its answer to tools/list has no list of tools"));
  }
  for (const value& item : tools->get_array()) {
    McpToolInfo tool;
    if (listing->tools.size() < kMaxTools && read_tool(item, tool)) {
      listing->tools.push_back(std::move(tool));
    }
  }
  const std::string cursor(core::text_member(*page, "nextCursor"));
  const bool goes_on = !cursor.empty() && cursor != listing->cursor &&
                       ++listing->pages < kMaxPages && listing->tools.size() < kMaxTools;
  if (!goes_on) return listing->done(std::move(listing->tools));
  listing->cursor = cursor;
  list_page(listing);
}

std::int64_t McpClient::call_tool(const std::string& tool, object arguments, Progress progress,
                                  Done<object> done) {
  object params;
  params["name"] = tool;
  params["arguments"] = std::move(arguments);
  object meta;
  meta["progressToken"] = last_id_ + 1;
  params["_meta"] = std::move(meta);
  return request(
      "tools/call", std::move(params), options_.call_timeout, std::move(progress),
      [self = shared_from_this(), done = std::move(done)](Result<value> result) mutable {
        if (!result) return done(core::fail(result.error()));
        if (!result->is_object()) {
          return done(self->failed(Code::data_loss, "its answer to tools/call is not an object"));
        }
        done(std::move(result->get_object()));
      });
}

void McpClient::cancel(std::int64_t id, const std::string& why) {
  const auto found = pending_.extract(id);
  if (found.empty()) return;
  home_.cancel(found.mapped().timer);
  object params;
  params["requestId"] = id;
  params["reason"] = why;
  notify("notifications/cancelled", std::move(params));
  transport_->drop(id);
}

void McpClient::close(const std::string& why) {
  if (std::exchange(closed_, true)) return;
  transport_->close();
  // In order, and including requests that callbacks add; a closed client accepts no new ones.
  while (!pending_.empty()) settle(pending_.begin()->first, failed(Code::unavailable, why));
}

std::int64_t McpClient::request(std::string_view method, object params, core::Millis timeout,
                                Progress progress, Done<value> done) {
  const std::int64_t id = ++last_id_;
  if (closed_) {
    core::reply(home_, std::move(done), failed(Code::unavailable, "it is closed"));
    return id;
  }
  Pending& pending = pending_[id];
  pending.done = std::move(done);
  pending.progress = std::move(progress);
  pending.timeout = timeout;
  arm(id, pending);
  object message;
  message["jsonrpc"] = "2.0";
  message["id"] = id;
  message["method"] = method;
  message["params"] = std::move(params);
  transport_->send(boost::json::serialize(message), id);
  return id;
}

void McpClient::notify(std::string_view method, object params) {
  if (closed_) return;
  object message;
  message["jsonrpc"] = "2.0";
  message["method"] = method;
  if (!params.empty()) message["params"] = std::move(params);
  transport_->send(boost::json::serialize(message), 0);
}

void McpClient::arm(std::int64_t id, Pending& pending) {
  home_.cancel(pending.timer);
  pending.timer = home_.after(
      pending.timeout,
      core::unless_gone(weak_from_this(), [id](McpClient& self) { self.on_timeout(id); }));
}

void McpClient::on_timeout(std::int64_t id) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  const core::Millis waited = found->second.timeout;
  Done<value> done = std::move(found->second.done);
  cancel(id, "The answer took too long.");
  done(failed(Code::deadline_exceeded,
              "it did not answer within " + std::to_string(waited.count()) + " ms"));
}

// --- incoming messages -----------------------------------------------------------------------

void McpClient::on_text(std::string_view text) {
  if (closed_) return;
  boost::json::error_code error;
  boost::json::parse_options options;
  options.max_depth = kMaxDepth;
  const value parsed = boost::json::parse(text, error, {}, options);
  const bool readable = !error && (parsed.is_object() || parsed.is_array());
  if (!readable) {
    spdlog::debug("MCP server {}: a message that is not JSON-RPC was ignored", name_);
    if (++garbage_ < kMaxGarbage) return;
    return on_closed("its output is not MCP");
  }
  garbage_ = 0;
  const auto self = shared_from_this();
  if (const object* message = parsed.if_object()) return on_message(*message);
  for (const value& item : parsed.get_array()) {
    if (const object* message = item.if_object()) on_message(*message);
  }
}

void McpClient::on_message(const object& message) {
  if (closed_) return;
  const std::string_view method = core::text_member(message, "method");
  if (method.empty()) return on_answer(message);
  const value* id = message.if_contains("id");
  if (id != nullptr && !id->is_null()) return on_request(method, *id);
  on_notification(method, message);
}

void McpClient::on_answer(const object& message) {
  const std::int64_t id = number_of(message.if_contains("id"));
  if (const value* result = message.if_contains("result")) return settle(id, *result);
  const object* error = object_of(message, "error");
  std::string reason(error == nullptr ? std::string_view() : core::text_member(*error, "message"));
  if (reason.empty()) reason = "an answer without result and without error";
  settle(id, failed(Code::internal, reason));
}

// Servers may only send ping; other requests are refused.
void McpClient::on_request(std::string_view method, const value& id) {
  object answer;
  answer["jsonrpc"] = "2.0";
  answer["id"] = id;
  if (method == "ping") {
    answer["result"] = object();
  } else {
    object error;
    error["code"] = kMethodNotFound;
    error["message"] = "Method not found";
    answer["error"] = std::move(error);
  }
  transport_->send(boost::json::serialize(answer), 0);
}

void McpClient::on_notification(std::string_view method, const object& message) {
  const object* params = object_of(message, "params");
  if (method == "notifications/tools/list_changed") {
    if (events_.on_tools_changed) events_.on_tools_changed();
  } else if (method == "notifications/progress" && params != nullptr) {
    on_progress(*params);
  } else if (method == "notifications/message" && params != nullptr) {
    const value* data = params->if_contains("data");
    spdlog::debug("MCP server {}: {}", name_,
                  data == nullptr ? std::string() : boost::json::serialize(*data));
  }
}

void McpClient::on_progress(const object& params) {
  const std::int64_t id = number_of(params.if_contains("progressToken"));
  const auto found = pending_.find(id);
  if (found == pending_.end() || !found->second.progress) return;
  arm(id, found->second);
  std::string text(core::text_member(params, "message"));
  const value* done = params.if_contains("progress");
  const value* total = params.if_contains("total");
  if (done != nullptr && done->is_number()) {
    if (!text.empty()) text += ' ';
    text += "(" + number_in_words(*done);
    if (total != nullptr && total->is_number()) text += " of " + number_in_words(*total);
    text += ")";
  }
  const Progress progress = found->second.progress;
  progress(text + "\n");
}

void McpClient::settle(std::int64_t id, Result<value> result) {
  auto found = pending_.extract(id);
  if (found.empty()) return;
  home_.cancel(found.mapped().timer);
  found.mapped().done(std::move(result));
}

void McpClient::on_closed(const std::string& why) {
  if (closed_) return;
  const auto self = shared_from_this();
  close(why);
  if (events_.on_closed) events_.on_closed(why);
}

}  // namespace parley::tool
