// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

namespace parley::api::testing {

// Checks responses against the OpenAPI document. For tests: supports the part of JSON Schema that
// the document uses, and fails on a schema that it cannot read.
class OpenApiCheck {
 public:
  explicit OpenApiCheck(std::string_view document) : root_(boost::json::parse(document)) {}

  const boost::json::object& paths() const { return root_.at("paths").as_object(); }

  // The reason why this response does not match the document; empty if it does.
  std::string fault(std::string_view method, const std::string& pattern, int status,
                    std::string_view body) const {
    const auto* path = paths().if_contains(pattern);
    if (path == nullptr) return "the path " + pattern + " is not documented";
    std::string verb;
    for (const char c : method) verb.push_back(static_cast<char>(c | 0x20));
    const auto* operation = path->as_object().if_contains(verb);
    if (operation == nullptr) return verb + " " + pattern + " is not documented";
    const auto* response =
        operation->at("responses").as_object().if_contains(std::to_string(status));
    if (response == nullptr) {
      return "status " + std::to_string(status) + " of " + pattern + " is not documented";
    }
    const auto* content = response->as_object().if_contains("content");
    if (content == nullptr) return body.empty() ? "" : "a body that is not documented";
    const auto* json = content->as_object().if_contains("application/json");
    if (json == nullptr) return {};  // another content type, which has no schema
    const auto& schema = json->at("schema");
    boost::system::error_code error;
    const boost::json::value value = boost::json::parse(std::string(body), error);
    if (error) return "the body is not JSON: " + std::string(body);
    return check(schema.as_object(), value, "body");
  }

 private:
  using Object = boost::json::object;
  using Value = boost::json::value;

  std::string check(const Object& schema, const Value& value, const std::string& at) const {
    if (const auto* ref = schema.if_contains("$ref")) {
      const std::string name(ref->as_string());
      return check(root_.at_pointer(name.substr(1)).as_object(), value, at);
    }
    if (const auto* type = schema.if_contains("type"); type != nullptr && !fits(*type, value)) {
      return at + " is not of type " + boost::json::serialize(*type) + ": " +
             boost::json::serialize(value);
    }
    if (const auto* allowed = schema.if_contains("enum")) {
      bool found = false;
      for (const Value& option : allowed->as_array()) found = found || option == value;
      if (!found) return at + " is not one of the values: " + boost::json::serialize(value);
    }
    if (value.is_object()) return check_members(schema, value.as_object(), at);
    if (value.is_array()) {
      std::size_t index = 0;
      for (const Value& item : value.as_array()) {
        std::string fault =
            check(schema.at("items").as_object(), item, at + "[" + std::to_string(index++) + "]");
        if (!fault.empty()) return fault;
      }
    }
    return {};
  }

  std::string check_members(const Object& schema, const Object& value,
                            const std::string& at) const {
    if (const auto* required = schema.if_contains("required")) {
      for (const Value& name : required->as_array()) {
        if (!value.contains(name.as_string()))
          return at + " lacks " + std::string(name.as_string());
      }
    }
    const auto* properties = schema.if_contains("properties");
    const auto* others = schema.if_contains("additionalProperties");
    for (const auto& member : value) {
      const std::string inner = at + "." + std::string(member.key());
      const Value* known =
          properties == nullptr ? nullptr : properties->as_object().if_contains(member.key());
      if (known == nullptr && (others == nullptr || others->is_object())) known = others;
      if (known != nullptr) {
        if (auto fault = check(known->as_object(), member.value(), inner); !fault.empty()) {
          return fault;
        }
      } else if (others != nullptr && !others->as_bool()) {
        return inner + " is not documented";
      }
    }
    return {};
  }

  static bool fits(const Value& type, const Value& value) {
    if (type.is_array()) {
      for (const Value& one : type.as_array()) {
        if (fits(one, value)) return true;
      }
      return false;
    }
    const std::string_view name(type.as_string().data(), type.as_string().size());
    if (name == "object") return value.is_object();
    if (name == "array") return value.is_array();
    if (name == "string") return value.is_string();
    if (name == "boolean") return value.is_bool();
    if (name == "integer") return value.is_int64() || value.is_uint64();
    if (name == "null") return value.is_null();
    return false;
  }

  Value root_;
};

}  // namespace parley::api::testing
