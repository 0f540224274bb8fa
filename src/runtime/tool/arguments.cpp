// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/arguments.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace parley::tool {

std::string_view text_argument(const boost::json::object& arguments, std::string_view name,
                               std::string_view fallback) {
  const boost::json::value* value = arguments.if_contains(name);
  if (value == nullptr || !value->is_string()) return fallback;
  const boost::json::string& text = value->get_string();
  return {text.data(), text.size()};
}

std::int64_t integer_argument(const boost::json::object& arguments, std::string_view name,
                              std::int64_t fallback) {
  const boost::json::value* value = arguments.if_contains(name);
  return value == nullptr || !value->is_int64() ? fallback : value->get_int64();
}

bool flag_argument(const boost::json::object& arguments, std::string_view name, bool fallback) {
  const boost::json::value* value = arguments.if_contains(name);
  return value == nullptr || !value->is_bool() ? fallback : value->get_bool();
}

std::vector<std::string> texts_argument(const boost::json::object& arguments,
                                        std::string_view name) {
  std::vector<std::string> out;
  const boost::json::value* value = arguments.if_contains(name);
  if (value == nullptr) return out;
  if (value->is_string()) out.emplace_back(value->get_string());
  if (!value->is_array()) return out;
  for (const boost::json::value& item : value->get_array()) {
    if (item.is_string()) out.emplace_back(item.get_string());
  }
  return out;
}

std::vector<const boost::json::object*> objects_argument(const boost::json::object& arguments,
                                                         std::string_view name) {
  std::vector<const boost::json::object*> out;
  const boost::json::value* value = arguments.if_contains(name);
  if (value == nullptr || !value->is_array()) return out;
  for (const boost::json::value& item : value->get_array()) {
    if (const boost::json::object* object = item.if_object()) out.push_back(object);
  }
  return out;
}

bool has_argument(const boost::json::object& arguments, std::string_view name) {
  return arguments.contains(name);
}

}  // namespace parley::tool
