// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

// JSON with comments and trailing commas, as a tree of positions in its text.
namespace parley::setup {

enum class JsonKind : std::uint8_t { object, array, string, other };

struct JsonItem;

struct JsonNode {
  JsonKind kind = JsonKind::other;
  std::size_t begin = 0;        // offset of the first byte of the value
  std::size_t end = 0;          // behind its last byte
  std::vector<JsonItem> items;  // of an object or an array
  bool comma_at_end = false;    // behind the last item
};

// A member of an object, or an element of an array.
struct JsonItem {
  std::string name;       // of a member, escapes resolved
  std::size_t begin = 0;  // of the name, or of the element
  JsonNode value;
};

// Limit (parley setup): nesting of JSON. Reached: refused.
inline constexpr std::size_t kMaxJsonDepth = 64;
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Things in a text that plain JSON does not have: the lines of the first ones, from 1; 0: none.
struct JsonExtras {
  std::size_t comment_line = 0;
  std::size_t trailing_comma_line = 0;
};

// Reads one value with white space and comments around it; a byte order mark is skipped. Errors:
// `invalid_argument` with the line.
core::Result<JsonNode> parse_json_tree(std::string_view text, JsonExtras* extras = nullptr);

// The JSON that an agent reads. The text of a file in another form is refused by it as a whole.
enum class JsonForm : std::uint8_t {
  tolerant,            // with comments and trailing commas
  no_trailing_commas,  // with comments
  plain,
};

// "line 3 has a comment": the reason for which a reader of this form refuses the text; empty: none,
// or the text is no JSON at all.
std::string refused_by(JsonForm form, std::string_view text);

// The member named `name`; null if there is none or the node is no object. The last one counts, as
// in JSON.parse.
const JsonNode* member_of(const JsonNode& node, std::string_view name);
// The number of members with that name.
std::size_t count_members(const JsonNode& node, std::string_view name);

}  // namespace parley::setup
