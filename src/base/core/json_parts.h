// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string_view>

namespace parley::core {

// The member `name` of an object if its type is object (or array for the second); else null.
inline const boost::json::object* object_member(const boost::json::object& from,
                                                std::string_view name) {
  const boost::json::value* found = from.if_contains(name);
  return found == nullptr ? nullptr : found->if_object();
}
inline const boost::json::array* array_member(const boost::json::object& from,
                                              std::string_view name) {
  const boost::json::value* found = from.if_contains(name);
  return found == nullptr ? nullptr : found->if_array();
}

// The same for true and false; `otherwise` if it is neither.
inline bool bool_member(const boost::json::object& from, std::string_view name,
                        bool otherwise = false) {
  const boost::json::value* found = from.if_contains(name);
  return found != nullptr && found->is_bool() ? found->get_bool() : otherwise;
}

}  // namespace parley::core
