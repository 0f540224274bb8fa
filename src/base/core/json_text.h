// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// A scanner for JSON whose text is forwarded unchanged: checks the whole text and cuts it into the
// parts that are read, without a tree and without a copy.
namespace parley::core {

enum class JsonType : std::uint8_t { object, array, string, number, boolean, null };

// One member of an object. Both views are into the text that was scanned.
struct JsonField {
  std::string_view name;   // raw, with its quotes
  std::string_view value;  // raw, without white space around it
  JsonType type = JsonType::null;
};

// True if a raw name (with its quotes) spells `wanted`, escapes resolved.
bool names(std::string_view raw_name, std::string_view wanted);

// The last member named `name`, as in JSON.parse; null if there is none.
const JsonField* find_field(const std::vector<JsonField>& fields, std::string_view name);

// The text of a raw JSON string (with its quotes). A lone surrogate becomes U+FFFD.
std::string decode_json_string(std::string_view raw);

enum class ScanResult : std::uint8_t {
  ok,
  malformed,        // not one JSON value (RFC 8259), or not an object
  too_deep,         // nested deeper than the limit; the rest was not read
  too_many_fields,  // more than kMaxScannedFields in an object whose members are listed
};

// Limit (External agents): members of an envelope, and of its payload. Reached: `INVALID_MESSAGE`.
inline constexpr std::size_t kMaxScannedFields = 1'024;

// Checks that `text`, which must be UTF-8, is one JSON object, at most `max_depth` levels deep (its
// own braces are the first level). Sets `fields` to the list of its members and `inner` to the
// members of its last member named `inner_name`, if that is an object. Numbers of any size and
// strings with lone surrogates pass, as they do in JSON.parse.
ScanResult scan_object(std::string_view text, std::size_t max_depth, std::string_view inner_name,
                       std::vector<JsonField>& fields, std::vector<JsonField>& inner);

// The same for one JSON array: sets `values` to the list of its values, without names. More than
// kMaxScannedValues values are `too_many_fields`.
ScanResult scan_array(std::string_view text, std::size_t max_depth, std::vector<JsonField>& values);

inline constexpr std::size_t kMaxScannedValues = 65'536;

}  // namespace parley::core
