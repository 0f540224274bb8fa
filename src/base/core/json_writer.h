// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parley::core {

// Appends JSON (RFC 8259) to a string that the caller owns: no tree, no copy. The writer adds
// commas; the caller keeps begin/end balanced and writes a key before each member.
//
//   JsonWriter json(out);
//   json.begin_object();
//   json.key("seq").number(7);
//   json.key("text").string(text);
//   json.end_object();
//
// Strings must be UTF-8; each ill-formed byte is written as U+FFFD, so the output is always valid.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& string(std::string_view value);
  JsonWriter& number(std::int64_t value);
  JsonWriter& number(std::uint64_t value);
  JsonWriter& number(int value) { return number(static_cast<std::int64_t>(value)); }
  JsonWriter& number(double value);  // NaN and the infinities are written as null
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  // A value that is already valid JSON, which is not checked.
  JsonWriter& raw(std::string_view json);
  // An array: `write(json, item)` writes one value for each of `items`.
  template <typename Items, typename Write>
  JsonWriter& array(const Items& items, const Write& write) {
    begin_array();
    for (const auto& item : items) write(*this, item);
    return end_array();
  }
  JsonWriter& strings(const auto& items) {
    return array(items, [](JsonWriter& json, std::string_view item) { json.string(item); });
  }
  // An object for each; `write` writes its members.
  template <typename Items, typename Write>
  JsonWriter& objects(const Items& items, const Write& write) {
    return array(items, [&write](JsonWriter& json, const auto& item) {
      json.begin_object();
      write(json, item);
      json.end_object();
    });
  }

 private:
  void before_value();

  std::string& out_;
  bool need_comma_ = false;
};

// The text of one object; `write(json)` writes its members.
template <typename Write>
std::string json_object(const Write& write) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write(json);
  json.end_object();
  return out;
}

// Appends `value` as a quoted JSON string.
void append_json_string(std::string& out, std::string_view value);

}  // namespace parley::core
