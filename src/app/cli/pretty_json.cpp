// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/pretty_json.h"

#include <boost/json/serialize.hpp>
#include <cstddef>

namespace parley::app {
namespace {

namespace json = boost::json;

void append_line(std::string& out, std::size_t depth) {
  out.push_back('\n');
  out.append(depth * 2, ' ');
}

void append(std::string& out, const json::value& value, std::size_t depth) {
  const json::object* object = value.if_object();
  const json::array* array = value.if_array();
  const bool empty = object != nullptr ? object->empty() : array == nullptr || array->empty();
  if (empty) {
    out += json::serialize(value);
    return;
  }
  out.push_back(object != nullptr ? '{' : '[');
  bool first = true;
  const auto next = [&] {
    if (!first) out.push_back(',');
    first = false;
    append_line(out, depth + 1);
  };
  if (object != nullptr) {
    for (const auto& member : *object) {
      next();
      out += json::serialize(member.key());
      out += ": ";
      append(out, member.value(), depth + 1);
    }
  } else {
    for (const json::value& item : *array) {
      next();
      append(out, item, depth + 1);
    }
  }
  append_line(out, depth);
  out.push_back(object != nullptr ? '}' : ']');
}

}  // namespace

std::string pretty_json(const json::value& value) {
  std::string out;
  append(out, value, 0);
  out.push_back('\n');
  return out;
}

}  // namespace parley::app
