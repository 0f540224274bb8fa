// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/workflow/json_tree.h"

#include <algorithm>
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/core/json_writer.h"

namespace parley::comfyui {
namespace {

enum class TreeStop : std::uint8_t { none, values };

// Builds the tree and stops at the limit of values. Boost 1.81 parses doubles inexactly; they are
// parsed again from their text.
struct TreeBuilder {
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  using ErrorCode = json::error_code;
  using View = json::string_view;

  explicit TreeBuilder(std::size_t max_values) : left(max_values) {}

  bool take(ErrorCode& error) {
    if (left == 0) {
      stop = TreeStop::values;
      error = json::error::array_too_large;
      return false;
    }
    --left;
    return true;
  }

  bool on_document_begin(ErrorCode& /*error*/) {
    stack.reset();
    return true;
  }
  bool on_document_end(ErrorCode& /*error*/) { return true; }
  bool on_object_begin(ErrorCode& error) { return take(error); }
  bool on_object_end(std::size_t count, ErrorCode& /*error*/) {
    stack.push_object(count);
    return true;
  }
  bool on_array_begin(ErrorCode& error) { return take(error); }
  bool on_array_end(std::size_t count, ErrorCode& /*error*/) {
    stack.push_array(count);
    return true;
  }
  bool on_key_part(View part, std::size_t /*size*/, ErrorCode& /*error*/) {
    stack.push_chars(part);
    return true;
  }
  bool on_key(View part, std::size_t /*size*/, ErrorCode& /*error*/) {
    stack.push_key(part);
    return true;
  }
  bool on_string_part(View part, std::size_t /*size*/, ErrorCode& /*error*/) {
    stack.push_chars(part);
    return true;
  }
  bool on_string(View part, std::size_t /*size*/, ErrorCode& error) {
    stack.push_string(part);
    return take(error);
  }
  bool on_number_part(View part, ErrorCode& /*error*/) {
    number.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t value, View /*part*/, ErrorCode& error) {
    number.clear();
    stack.push_int64(value);
    return take(error);
  }
  bool on_uint64(std::uint64_t value, View /*part*/, ErrorCode& error) {
    number.clear();
    stack.push_uint64(value);
    return take(error);
  }
  bool on_double(double rough, View part, ErrorCode& error) {
    number.append(part.data(), part.size());
    double exact = rough;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), exact);
    if (read.ec != std::errc()) exact = rough;
    number.clear();
    if (!std::isfinite(exact)) {
      error = json::error::exponent_overflow;
      return false;
    }
    stack.push_double(exact);
    return take(error);
  }
  bool on_bool(bool value, ErrorCode& error) {
    stack.push_bool(value);
    return take(error);
  }
  bool on_null(ErrorCode& error) {
    stack.push_null();
    return take(error);
  }
  bool on_comment_part(View /*part*/, ErrorCode& /*error*/) { return true; }
  bool on_comment(View /*part*/, ErrorCode& /*error*/) { return true; }

  json::value_stack stack;
  std::string number;
  std::size_t left;
  TreeStop stop = TreeStop::none;
};

std::string place_in(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return "line " + std::to_string(line) + ", byte " + std::to_string(at);
}

void append_double(std::string& out, double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  out += text;
  if (text.find_first_of(".en") == std::string_view::npos) out += ".0";
}

}  // namespace

core::Result<json::value> parse_tree(std::string_view text, const TreeLimits& limits,
                                     std::string_view what) {
  const std::string name(what);
  if (text.size() > limits.bytes) {
    return core::fail(core::Code::resource_exhausted,
                      name + " has " + std::to_string(text.size()) + " bytes; at most " +
                          std::to_string(limits.bytes) + " are read.");
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return core::fail(core::Code::invalid_argument, name + " is empty; expected JSON.");
  }
  json::parse_options options;
  options.max_depth = limits.depth;
  json::basic_parser<TreeBuilder> parser(options, limits.values);
  json::error_code error;
  std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (!error && text.find_first_not_of(" \t\r\n", read) != std::string_view::npos) {
    error = json::error::extra_data;
  }
  if (!error) return parser.handler().stack.release();
  if (parser.handler().stop == TreeStop::values) {
    return core::fail(core::Code::resource_exhausted, name + " holds more than " +
                                                          std::to_string(limits.values) +
                                                          " JSON values; make it smaller.");
  }
  if (error == json::error::too_deep) {
    return core::fail(core::Code::resource_exhausted,
                      name + " is nested deeper than " + std::to_string(limits.depth) + " levels.");
  }
  return core::fail(core::Code::invalid_argument, name + " is not JSON: " + error.message() +
                                                      " at " + place_in(text, read) + ".");
}

void append_tree(std::string& out, const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      out += "null";
      return;
    case json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case json::kind::int64:
      out += std::to_string(value.get_int64());
      return;
    case json::kind::uint64:
      out += std::to_string(value.get_uint64());
      return;
    case json::kind::double_:
      append_double(out, value.get_double());
      return;
    case json::kind::string:
      core::append_json_string(out, text_view(value.get_string()));
      return;
    case json::kind::array: {
      char before = '[';
      for (const json::value& item : value.get_array()) {
        out += before;
        append_tree(out, item);
        before = ',';
      }
      out += before == '[' ? "[]" : "]";
      return;
    }
    case json::kind::object:
      append_tree(out, value.get_object());
      return;
  }
}

void append_tree(std::string& out, const json::object& value) {
  char before = '{';
  for (const json::key_value_pair& member : value) {
    out += before;
    core::append_json_string(out, member.key());
    out += ':';
    append_tree(out, member.value());
    before = ',';
  }
  out += before == '{' ? "{}" : "}";
}

std::string tree_text(const json::value& value) {
  std::string out;
  append_tree(out, value);
  return out;
}

bool same_value(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number() && a.kind() != b.kind()) {
    return a.to_number<double>() == b.to_number<double>();
  }
  if (a.is_array() && b.is_array()) {
    return std::equal(
        a.get_array().begin(), a.get_array().end(), b.get_array().begin(), b.get_array().end(),
        [](const json::value& one, const json::value& other) { return same_value(one, other); });
  }
  if (a.is_object() && b.is_object()) return same_value(a.get_object(), b.get_object());
  return a == b;
}

bool same_value(const json::object& a, const json::object& b) {
  if (a.size() != b.size()) return false;
  return std::all_of(a.begin(), a.end(), [&b](const auto& member) {
    const json::value* found = b.if_contains(member.key());
    return found != nullptr && same_value(member.value(), *found);
  });
}

json::array* array_member(json::object& from, std::string_view name) {
  json::value* found = from.if_contains(name);
  return found == nullptr ? nullptr : found->if_array();
}

std::optional<std::int64_t> integer_of(const json::value* value) {
  constexpr std::uint64_t kGreatest = std::numeric_limits<std::int64_t>::max();
  if (value == nullptr) return std::nullopt;
  if (value->is_int64()) return value->get_int64();
  if (value->is_uint64() && value->get_uint64() <= kGreatest) {
    return static_cast<std::int64_t>(value->get_uint64());
  }
  if (!value->is_double()) return std::nullopt;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const double number = value->get_double();
  if (std::abs(number) > kExact || std::trunc(number) != number) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<std::string> id_text(const json::value* value) {
  if (value == nullptr) return std::nullopt;
  if (const json::string* text = value->if_string()) {
    if (text->empty()) return std::nullopt;
    return std::string(text_view(*text));
  }
  if (const auto number = integer_of(value)) return std::to_string(*number);
  return std::nullopt;
}

}  // namespace parley::comfyui
