// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/schema_form.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>

#include "runtime/tool/schema_check.h"

namespace parley::tool {
namespace {

namespace json = boost::json;
using core::Result;

Result<void> fault(const std::string& place, const std::string& what) {
  return core::fail(core::Code::invalid_argument,
                    (place.empty() ? "it" : place) + " must be " + what, place);
}

std::string below(const std::string& place, std::string_view name) {
  return place.empty() ? std::string(name) : place + "." + std::string(name);
}

bool is_type_name(const json::value& value) {
  static constexpr std::array<std::string_view, 7> kTypes = {
      "string", "number", "integer", "boolean", "array", "object", "null"};
  return value.is_string() &&
         std::ranges::find(kTypes, std::string_view(value.get_string())) != kTypes.end();
}

Result<void> check_schema(const json::value& schema, const std::string& place);

Result<void> check_each(const json::array& schemas, const std::string& place) {
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    auto checked = check_schema(schemas[i], below(place, std::to_string(i)));
    if (!checked) return checked;
  }
  return {};
}

Result<void> check_type(const json::value& type, const std::string& place) {
  const json::array* several = type.if_array();
  const bool good = several != nullptr
                        ? !several->empty() && std::ranges::all_of(*several, is_type_name)
                        : is_type_name(type);
  return good ? Result<void>() : fault(place, "the name of a JSON type, or a list of such names");
}

Result<void> check_properties(const json::value& properties, const std::string& place) {
  const json::object* members = properties.if_object();
  if (members == nullptr) return fault(place, "an object");
  for (const auto& [name, schema] : *members) {
    auto checked = check_schema(schema, below(place, name));
    if (!checked) return checked;
  }
  return {};
}

Result<void> check_required(const json::value& required, const std::string& place) {
  const json::array* names = required.if_array();
  const bool good = names != nullptr &&
                    std::ranges::all_of(*names, [](const json::value& n) { return n.is_string(); });
  return good ? Result<void>() : fault(place, "a list of names");
}

Result<void> check_list(const json::value& value, const std::string& place) {
  return value.is_array() ? Result<void>() : fault(place, "a list");
}

Result<void> check_forms(const json::value& value, const std::string& place) {
  if (!value.is_array()) return fault(place, "a list of schemas");
  return check_each(value.get_array(), place);
}

Result<void> check_items(const json::value& value, const std::string& place) {
  return value.is_array() ? check_each(value.get_array(), place) : check_schema(value, place);
}

struct Keyword {
  std::string_view name;
  Result<void> (*check)(const json::value& value, const std::string& place);
};
constexpr Keyword kKeywords[] = {
    {"type", check_type},         {"properties", check_properties},
    {"required", check_required}, {"items", check_items},
    {"enum", check_list},         {"additionalProperties", check_schema},
    {"anyOf", check_forms},       {"oneOf", check_forms},
    {"allOf", check_forms},
};

// A boolean is a schema, too: for every value, or for none.
Result<void> check_schema(const json::value& schema, const std::string& place) {
  if (schema.is_bool()) return {};
  const json::object* object = schema.if_object();
  if (object == nullptr) return fault(place, "a schema, which is an object");
  for (const Keyword& keyword : kKeywords) {
    const json::value* value = object->if_contains(keyword.name);
    if (value == nullptr || value->is_null()) continue;
    auto checked = keyword.check(*value, below(place, keyword.name));
    if (!checked) return checked;
  }
  return {};
}

}  // namespace

Result<void> check_schema_form(std::string_view schema) {
  json::parse_options options;
  options.max_depth = kMaxArgumentDepth;
  boost::system::error_code error;
  const json::value value = json::parse(schema, error, {}, options);
  const json::object* object = error ? nullptr : value.if_object();
  if (object == nullptr) {
    return fault("", "a JSON object of at most " + std::to_string(kMaxArgumentDepth) + " levels");
  }
  const json::value* type = object->if_contains("type");
  if (type != nullptr && !type->is_null() && *type != json::value("object")) {
    return fault("type", "\"object\"");
  }
  return check_schema(value, "");
}

}  // namespace parley::tool
