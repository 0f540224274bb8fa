// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/loom/tool_yaml.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/core/json_writer.h"

namespace parley::loom {
namespace {

namespace json = boost::json;

// A JSON string is also a double-quoted YAML scalar.
std::string scalar(const json::value& value) { return json::serialize(value); }

std::string key_of(std::string_view name) {
  const bool plain = !name.empty() &&
                     name.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "_") == std::string_view::npos &&
                     name != "true" && name != "false" && name != "null" && name != "yes" &&
                     name != "no" && name != "on" && name != "off" && name != "y" && name != "n";
  if (plain) return std::string(name);
  std::string out;
  core::append_json_string(out, name);
  return out;
}

void append(std::string& out, const json::value& value, std::size_t indent);

void append_member(std::string& out, std::string_view name, const json::value& value,
                   std::size_t indent) {
  out.append(indent, ' ').append(key_of(name)).append(":");
  append(out, value, indent + 2);
}

// Appends the value after a key or a dash.
void append(std::string& out, const json::value& value, std::size_t indent) {
  if (const json::object* object = value.if_object(); object != nullptr && !object->empty()) {
    out += '\n';
    for (const auto& [name, member] : *object) {
      append_member(out, std::string_view(name.data(), name.size()), member, indent);
    }
  } else if (const json::array* array = value.if_array(); array != nullptr && !array->empty()) {
    out += '\n';
    for (const json::value& item : *array) {
      out.append(indent, ' ').append("-");
      append(out, item, indent + 2);
    }
  } else {
    out.append(" ").append(scalar(value)).append("\n");
  }
}

}  // namespace

std::string tool_yaml(const model::ToolSpec& spec) {
  std::string out;
  append_member(out, "name", json::value(spec.name), 0);
  append_member(out, "description", json::value(spec.description), 0);
  boost::system::error_code error;
  const json::value schema =
      json::parse(json::string_view(spec.parameters.data(), spec.parameters.size()), error);
  if (!error) append_member(out, "input_schema", schema, 0);
  return out;
}

}  // namespace parley::loom
