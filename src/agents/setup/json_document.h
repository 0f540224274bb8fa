// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "agents/setup/json_tree.h"
#include "base/core/result.h"

namespace parley::setup {

// Names of members and decimal indexes of elements, from the outermost value inwards. The last step
// "-" is the place behind the last element of an array.
using JsonPath = std::vector<std::string>;

// A JSON file whose text is edited in place: comments, order, indentation, line ends and a byte
// order mark stay. Beside the text a tree of values is edited, which verify() compares with the new
// text: a fault in the splicing cannot reach the file.
//
// Errors of the edits: `failed_precondition` if a name on the path occurs twice, or if a value on
// the path is neither object nor array.
class JsonDocument {
 public:
  // An empty text is an empty object. Errors: `invalid_argument` with the line.
  static core::Result<JsonDocument> parse(std::string_view text);

  const std::string& text() const { return text_; }
  const boost::json::value& root() const { return model_; }
  // Null if there is none.
  const boost::json::value* find(const JsonPath& path) const;

  // Sets a value, and makes the objects on the path that are missing (an array for the step "-").
  // An equal value keeps its text.
  core::Result<void> put(const JsonPath& path, const boost::json::value& value);
  // Takes out a member or element; an absent one is no error.
  core::Result<void> erase(const JsonPath& path);

  // The members that put() has made, outermost first.
  const std::vector<JsonPath>& created() const { return made_; }

  // Errors: `failed_precondition` if the text does not say what the edits say.
  core::Result<void> verify() const;

 private:
  core::Result<void> insert(const JsonNode& container, std::size_t depth, const std::string& name,
                            const boost::json::value& value);
  void replace(const JsonNode& old, std::size_t item_begin, const boost::json::value& value);
  void cut(const JsonNode& container, std::size_t index);
  std::string_view blanks_of_line(std::size_t at) const;
  std::size_t back_over_blanks(std::size_t at) const;
  std::size_t comma_behind(std::size_t at) const;
  bool is_one_line(const JsonNode& node) const;

  std::string text_;
  boost::json::value model_;
  std::string line_end_ = "\n";
  std::string unit_ = "  ";  // of indentation
  std::vector<JsonPath> made_;
};

// The value in the containers that path[from] and the steps behind it name.
boost::json::value nested_value(const JsonPath& path, std::size_t from, boost::json::value value);

// The text of a value on lines of its own; the first line is not indented.
std::string pretty_json_value(const boost::json::value& value, std::string_view indent,
                              std::string_view unit, std::string_view line_end);

}  // namespace parley::setup
