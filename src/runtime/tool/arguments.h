// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parley::tool {

// Readers of the members of a call's arguments, after the check against the schema. An absent
// member, or one of another type, gives the fallback. Views live as long as the object.
std::string_view text_argument(const boost::json::object& arguments, std::string_view name,
                               std::string_view fallback = {});
std::int64_t integer_argument(const boost::json::object& arguments, std::string_view name,
                              std::int64_t fallback);
bool flag_argument(const boost::json::object& arguments, std::string_view name,
                   bool fallback = false);
// The strings of an array; a single string counts as an array of one.
std::vector<std::string> texts_argument(const boost::json::object& arguments,
                                        std::string_view name);
// The objects of an array.
std::vector<const boost::json::object*> objects_argument(const boost::json::object& arguments,
                                                         std::string_view name);
bool has_argument(const boost::json::object& arguments, std::string_view name);

}  // namespace parley::tool
