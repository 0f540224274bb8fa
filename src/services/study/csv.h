// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace parley::study {

// Writes a table in the form of RFC 4180: fields with commas, quotes or line breaks are quoted,
// lines end with CR LF. A text that a spreadsheet would take for a formula (it begins with = + - @,
// a tab or a line break) is prefixed with an apostrophe.
class CsvWriter {
 public:
  explicit CsvWriter(std::string& out) : out_(out) {}

  CsvWriter& text(std::string_view value);
  CsvWriter& number(std::uint64_t value);
  CsvWriter& boolean(bool value);  // true, false
  CsvWriter& empty();
  void end_row();
  void header(std::initializer_list<std::string_view> names);

 private:
  void begin_field();

  std::string& out_;
  bool first_ = true;
};

}  // namespace parley::study
