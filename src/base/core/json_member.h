// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

namespace parley::core {

// The member `name` of an object if it is a string, else an empty text: for members whose absence
// and wrong type mean the same to the reader. The view is valid as long as the document.
inline std::string_view text_member(const boost::json::object& from, std::string_view name) {
  const boost::json::value* found = from.if_contains(name);
  return found != nullptr && found->is_string() ? std::string_view(found->get_string())
                                                : std::string_view();
}
inline std::string_view text_member(const simdjson::dom::object& from, std::string_view name) {
  std::string_view text;
  return from[name].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

// The same as a copy.
template <typename Object>
std::string string_member(const Object& from, std::string_view name) {
  return std::string(text_member(from, name));
}

}  // namespace parley::core
