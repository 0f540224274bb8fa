// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/json_rpc.h"

#include <boost/json/parse.hpp>
#include <boost/system/error_code.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/core/ascii.h"
#include "base/core/json_member.h"
#include "base/core/json_text.h"
#include "base/core/json_writer.h"

namespace parley::mcp {
namespace {

// Limit (MCP over HTTP): nesting of a message. Reached: 400; -32700.
constexpr std::size_t kMaxDepth = 64;

// The text of the id of a message as sent, if it is a string or a number; std::nullopt: the message
// has too many members. Of duplicates the last one counts, as in Boost.JSON.
std::optional<std::string> raw_id_of(std::string_view message) {
  std::vector<core::JsonField> members;
  std::vector<core::JsonField> none;
  const auto result = core::scan_object(message, kMaxDepth, {}, members, none);
  if (result == core::ScanResult::too_many_fields) return std::nullopt;
  const core::JsonField* id = core::find_field(members, "id");
  const bool scalar =
      id != nullptr && (id->type == core::JsonType::string || id->type == core::JsonType::number);
  return scalar ? std::string(id->value) : std::string();
}

RpcMessage invalid(int code, std::string text, std::string id = {}) {
  RpcMessage message;
  message.error_code = code;
  message.error_text = std::move(text);
  if (!id.empty()) message.id = std::move(id);
  return message;
}

RpcMessage parse_error() { return invalid(kParseError, "Parse error: the line is not valid JSON"); }

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

// `text`: the text of `value`.
RpcMessage read_message(boost::json::value& value, std::string_view text) {
  boost::json::object* object = value.if_object();
  if (object == nullptr) return invalid(kInvalidRequest, "Invalid request: not an object");
  std::optional<std::string> sent_id = raw_id_of(text);
  if (!sent_id) return invalid(kInvalidRequest, "Invalid request: more than 1,024 members");
  std::string raw_id = *std::move(sent_id);
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
    out.messages.push_back(parse_error());
    return out;
  }
  boost::json::array* array = value->if_array();
  if (array == nullptr) {
    out.messages.push_back(read_message(*value, text));
    return out;
  }
  if (array->empty() || array->size() > kMaxBatch) {
    out.messages.push_back(invalid(
        kInvalidRequest, array->empty() ? "Invalid request: an empty batch"
                                        : "Invalid request: more than 100 messages in one batch"));
    return out;
  }
  std::vector<core::JsonField> texts;
  core::scan_array(text, kMaxDepth, texts);
  // A text that only one of the two readers takes must not end the process.
  if (texts.size() != array->size()) {
    out.messages.push_back(parse_error());
    return out;
  }
  out.batch = true;
  for (std::size_t i = 0; i < array->size(); ++i) {
    out.messages.push_back(read_message((*array)[i], texts[i].value));
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
