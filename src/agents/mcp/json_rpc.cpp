// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/json_rpc.h"

#include <simdjson.h>

#include <boost/json/parse.hpp>
#include <boost/system/error_code.hpp>
#include <optional>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/json_member.h"
#include "base/core/json_writer.h"

namespace parley::mcp {
namespace {

// Limit (MCP over HTTP): nesting of a message. Reached: 400; -32700.
constexpr std::size_t kMaxDepth = 64;

// The text of the member "id" of one object as sent; of duplicates the last one is used, as in
// Boost.JSON.
std::string raw_id_of(simdjson::ondemand::object object) {
  std::string id;
  for (auto field : object) {
    std::string_view name;
    if (field.unescaped_key().get(name) != simdjson::SUCCESS || name != "id") continue;
    simdjson::ondemand::value value;
    simdjson::ondemand::json_type type{};
    if (field.value().get(value) != simdjson::SUCCESS ||
        value.type().get(type) != simdjson::SUCCESS) {
      continue;
    }
    const bool scalar = type == simdjson::ondemand::json_type::string ||
                        type == simdjson::ondemand::json_type::number;
    if (scalar) id = core::trimmed(value.raw_json_token());
  }
  return id;
}

// The ids of the messages in a valid JSON document; empty for a message without an id.
std::vector<std::string> raw_ids(std::string_view line, bool batch, std::size_t count) {
  std::vector<std::string> ids(count);
  const simdjson::padded_string padded(line);
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return ids;
  simdjson::ondemand::object object;
  if (!batch) {
    if (document.get_object().get(object) == simdjson::SUCCESS) ids.front() = raw_id_of(object);
    return ids;
  }
  simdjson::ondemand::array array;
  if (document.get_array().get(array) != simdjson::SUCCESS) return ids;
  std::size_t at = 0;
  for (auto element : array) {
    if (at >= count) break;
    if (element.get_object().get(object) == simdjson::SUCCESS) ids[at] = raw_id_of(object);
    ++at;
  }
  return ids;
}

RpcMessage invalid(int code, std::string text, std::string id = {}) {
  RpcMessage message;
  message.error_code = code;
  message.error_text = std::move(text);
  if (!id.empty()) message.id = std::move(id);
  return message;
}

bool is_request_id(const boost::json::value& id) { return id.is_string() || id.is_number(); }

RpcMessage read_response(boost::json::object& object, std::string raw_id) {
  RpcMessage response;
  response.kind = RpcMessage::Kind::response;
  if (!raw_id.empty()) response.id = std::move(raw_id);
  if (boost::json::value* result = object.if_contains("result"); result != nullptr) {
    response.params = std::move(*result);
    return response;
  }
  const boost::json::value& error = object.at("error");
  response.error_text = "The client answered with an error.";
  if (const boost::json::object* fields = error.if_object(); fields != nullptr) {
    if (std::string text = core::string_member(*fields, "message"); !text.empty()) {
      response.error_text = std::move(text);
    }
  }
  return response;
}

RpcMessage read_message(boost::json::value& value, std::string raw_id) {
  boost::json::object* object = value.if_object();
  if (object == nullptr) return invalid(kInvalidRequest, "Invalid request: not an object");
  const boost::json::value* id = object->if_contains("id");
  if (id != nullptr && !is_request_id(*id)) raw_id.clear();
  const boost::json::value* version = object->if_contains("jsonrpc");
  if (version == nullptr || !version->is_string() || version->get_string() != "2.0") {
    return invalid(kInvalidRequest, R"(Invalid request: "jsonrpc" must be "2.0")",
                   std::move(raw_id));
  }
  const boost::json::value* method = object->if_contains("method");
  if (method == nullptr && (object->contains("result") || object->contains("error"))) {
    return read_response(*object, std::move(raw_id));
  }
  if (method == nullptr || !method->is_string()) {
    return invalid(kInvalidRequest, R"(Invalid request: "method" must be a string)",
                   std::move(raw_id));
  }
  if (id != nullptr && raw_id.empty()) {
    return invalid(kInvalidRequest, R"(Invalid request: "id" must be a string or a number)");
  }
  RpcMessage message;
  message.method = method->get_string();
  if (boost::json::value* params = object->if_contains("params"); params != nullptr) {
    if (!params->is_object() && !params->is_array() && !params->is_null()) {
      if (id == nullptr) return message.kind = RpcMessage::Kind::notification, message;
      return invalid(kInvalidRequest, R"(Invalid request: "params" must be an object)",
                     std::move(raw_id));
    }
    message.params = std::move(*params);
  }
  message.kind = id == nullptr ? RpcMessage::Kind::notification : RpcMessage::Kind::request;
  if (id != nullptr) message.id = std::move(raw_id);
  return message;
}

std::optional<boost::json::value> parse_json(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::system::error_code error;
  boost::json::value value =
      boost::json::parse(boost::json::string_view(text.data(), text.size()), error, {}, options);
  if (error.failed()) return std::nullopt;
  return value;
}

}  // namespace

RpcLine parse_rpc_line(std::string_view line) {
  RpcLine out;
  const std::string_view text = core::trimmed(line);
  if (text.empty()) return out;
  std::optional<boost::json::value> value = parse_json(text);
  if (!value) {
    out.messages.push_back(invalid(kParseError, "Parse error: the line is not valid JSON"));
    return out;
  }
  boost::json::array* array = value->if_array();
  if (array == nullptr) {
    out.messages.push_back(read_message(*value, std::move(raw_ids(text, false, 1).front())));
    return out;
  }
  if (array->empty() || array->size() > kMaxBatch) {
    out.messages.push_back(invalid(
        kInvalidRequest, array->empty() ? "Invalid request: an empty batch"
                                        : "Invalid request: more than 100 messages in one batch"));
    return out;
  }
  out.batch = true;
  std::vector<std::string> ids = raw_ids(text, true, array->size());
  for (std::size_t i = 0; i < array->size(); ++i) {
    out.messages.push_back(read_message((*array)[i], std::move(ids[i])));
  }
  return out;
}

std::string rpc_id_value_key(const boost::json::value& id) {
  if (id.is_string()) return "s" + std::string(id.get_string());
  if (id.is_int64()) return "n" + std::to_string(id.get_int64());
  if (id.is_uint64()) return "n" + std::to_string(id.get_uint64());
  if (id.is_double()) {
    std::string key = "d";
    core::JsonWriter(key).number(id.get_double());  // exact, unlike std::to_string()
    return key;
  }
  return {};
}

std::string rpc_id_key(std::string_view id) {
  const std::optional<boost::json::value> value = parse_json(id);
  return value ? rpc_id_value_key(*value) : std::string();
}

std::string rpc_result(std::string_view id, std::string_view result) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("jsonrpc").string("2.0").key("id").raw(id).key("result").raw(result);
  json.end_object();
  return out;
}

std::string rpc_error(std::string_view id, int code, std::string_view message,
                      std::string_view data) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("jsonrpc").string("2.0").key("id").raw(id).key("error");
  json.begin_object().key("code").number(code).key("message").string(message);
  if (!data.empty()) json.key("data").raw(data);
  json.end_object().end_object();
  return out;
}

std::string rpc_notification(std::string_view method, std::string_view params) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("jsonrpc").string("2.0").key("method").string(method);
  json.key("params").raw(params).end_object();
  return out;
}

}  // namespace parley::mcp
