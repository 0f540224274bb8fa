// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace parley::setup {

// A file in TOML or YAML of which one table is edited in place: comments, order and line ends stay.
// The values of the whole file are edited beside the text, and verify() compares both.
class EntryFile {
 public:
  EntryFile() = default;
  EntryFile(const EntryFile&) = delete;
  EntryFile& operator=(const EntryFile&) = delete;
  virtual ~EntryFile() = default;

  // The table; std::nullopt if there is none. Values that are neither texts, numbers, truth values
  // nor lists of texts are null.
  virtual std::optional<boost::json::object> entry() const = 0;
  // Sets the members of `entry` in the table, which is made if it is missing; other members stay.
  virtual void put(const boost::json::object& entry) = 0;
  virtual void erase() = 0;
  // Errors: `failed_precondition` if the text does not say what the edits say, because the file is
  // written in a way that is not edited here.
  virtual core::Result<void> verify() const = 0;
  virtual const std::string& text() const = 0;
};

// The table [OUTER.NAME]. Errors: `invalid_argument` with the line.
core::Result<std::unique_ptr<EntryFile>> read_toml_entry(std::string_view text, std::string outer,
                                                         std::string name);
// The mapping NAME in the mapping OUTER of the document. Errors: `invalid_argument` with the line;
// `failed_precondition`: aliases, or several documents.
core::Result<std::unique_ptr<EntryFile>> read_yaml_entry(std::string_view text, std::string outer,
                                                         std::string name);

// The text of a string, a number, a truth value or a list of them in JSON, TOML and YAML alike.
std::string flat_value_text(const boost::json::value& value);

// The text of the table alone, to be added by hand.
std::string toml_entry_text(std::string_view outer, std::string_view name,
                            const boost::json::object& entry);
std::string yaml_entry_text(std::string_view outer, std::string_view name,
                            const boost::json::object& entry);

}  // namespace parley::setup
